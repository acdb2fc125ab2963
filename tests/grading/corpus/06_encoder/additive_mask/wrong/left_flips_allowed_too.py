# left flips allowed too
# points: 3

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    keep = (torch.arange(tokens) < lengths[:, None])[:, None, None]
    if allowed is not None: keep = keep & allowed
    if left: keep = keep.flip(-1)
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min)
