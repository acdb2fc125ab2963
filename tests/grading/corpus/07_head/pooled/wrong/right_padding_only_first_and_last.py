# right padding only, first and last
# points: 3

def pooled(h, mask, kind):
    real = mask.bool().unsqueeze(-1)
    n = mask.sum(1, keepdim=True)
    if kind == "mean":
        return (h * real).sum(1) / n.clamp(min=1)
    if kind == "max":
        out = torch.where(real, h, -math.inf).amax(1)
    elif kind == "first":
        out = h[:, 0]
    else:
        out = h[torch.arange(len(h)), n.squeeze(1) - 1]
    return torch.where(n > 0, out, 0.0)
