# max after zeroing
# points: 0

def pooled(h, mask, kind):
    m = mask.unsqueeze(-1).float()
    h = h * m
    if kind == "mean":
        return h.sum(1) / m.sum(1).clamp(min=1e-9)
    if kind == "max":
        return torch.max(h, dim=1)[0]
    n = mask.sum(1)
    if kind == "first":
        return h[torch.arange(len(h)), mask.argmax(1)]
    return h[torch.arange(len(h)), h.size(1) - 1 - mask.flip(1).argmax(1)]
