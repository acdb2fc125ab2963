# minus infinity by log
# points: 0

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    real = (torch.arange(tokens)[None] < lengths[:, None]).to(dtype)
    if left: real = real.flip(1)
    real = real[:, None, None]
    if allowed is not None: real = real * allowed
    return real.log()
