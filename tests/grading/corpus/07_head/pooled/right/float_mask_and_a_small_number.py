# float mask and a small number
# points: 4

def pooled(h, mask, kind):
    m = mask.float().unsqueeze(-1)
    if kind == "mean":
        return (h * m).sum(1) / m.sum(1).clamp(min=1e-9)
    if kind == "max":
        return torch.where(m.bool(), h, torch.tensor(-1e9)).max(1).values * m.amax(1)
    T = h.size(1)
    order = torch.arange(T, 0, -1) if kind == "first" else torch.arange(1, T + 1)
    i = (mask * order).argmax(1)
    return h[range(len(h)), i] * m.amax(1)
