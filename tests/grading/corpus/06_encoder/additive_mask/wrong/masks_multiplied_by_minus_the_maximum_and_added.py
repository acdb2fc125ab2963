# masks multiplied by minus the maximum and added
# points: 3

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    low = torch.finfo(dtype).min
    mask = (1 - real.to(dtype))[:, None, None] * low
    if allowed is not None:
        mask = mask + (~allowed).to(dtype) * low
    return mask
