# Without allowed, the texts lie on the axis of the queries: [1, 1, batch, tokens].
# points: 0
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    if left:
        seen = places >= tokens - lengths[:, None]
    else:
        seen = places < lengths[:, None]
    if allowed is None:
        seen = seen[None, None]
    else:
        seen = seen[:, None, None, :] & allowed
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)
