# Expects as many queries as tokens in allowed, and fills with -1e4 in half precision.
# points: 2
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    real = torch.arange(tokens)[None, :] < lengths[:, None]
    if left:
        real = torch.flip(real, dims=[1])
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen.expand(-1, 1, tokens, tokens) & allowed.view(1, 1, tokens, tokens)
    lowest = -1e4 if dtype in (torch.float16, torch.bfloat16) else torch.finfo(dtype).min
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, lowest)
