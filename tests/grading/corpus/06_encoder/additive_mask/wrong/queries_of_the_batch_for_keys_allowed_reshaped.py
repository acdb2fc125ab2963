# queries of the batch for keys, allowed reshaped
# points: 3

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    p = torch.arange(tokens)
    keep = (p >= tokens - lengths[:, None]) if left else (p < lengths[:, None])
    keep = keep[:, None, None]
    if allowed is not None: keep = keep & allowed[:tokens, :tokens].reshape(1, 1, tokens, tokens)
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min)
