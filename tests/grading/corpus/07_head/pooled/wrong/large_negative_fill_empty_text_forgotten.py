# large negative fill, empty text forgotten
# points: 3

def pooled(h, mask, kind):
    real = mask.bool().unsqueeze(-1)
    if kind == "mean":
        return (h * real).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
    if kind == "max":
        return h.masked_fill(~real, -1e9).amax(1)
    place = mask.argmax(1) if kind == "first" else (torch.arange(h.size(1)) * mask).argmax(1)
    return h[torch.arange(len(h)), place] * mask.any(1, keepdim=True)
