# padding is always expected on the right
# points: 3

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    keep = (torch.arange(tokens)[None] < lengths[:, None])[:, None, None]
    keep = keep if allowed is None else keep & allowed
    return (~keep).to(dtype) * torch.finfo(dtype).min
