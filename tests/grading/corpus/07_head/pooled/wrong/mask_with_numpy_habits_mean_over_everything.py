# mask with numpy habits, mean over everything
# points: 0

def pooled(h, mask, kind):
    h = h * mask.unsqueeze(-1)
    if kind == "mean":
        return h.mean(1)
    if kind == "max":
        return h.masked_fill(mask.unsqueeze(-1) == 0, -1e9).max(1).values
    i = 0 if kind == "first" else -1
    return torch.stack([row[m.bool()][i] if m.any() else row[0] * 0 for row, m in zip(h, mask)])
