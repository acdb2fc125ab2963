# a mask per head made up
# points: 0

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    keep = torch.arange(tokens) < lengths[:, None]
    return torch.zeros(len(lengths), 1, 1, tokens).masked_fill(~keep[:, None, None], torch.finfo(dtype).min).expand(-1, 2, -1, -1)
