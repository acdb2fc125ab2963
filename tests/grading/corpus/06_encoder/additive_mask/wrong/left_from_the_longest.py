# Left padding is measured from the longest text, not from the width of the batch.
# points: 3
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    real = places < lengths[:, None]
    if left:
        longest = lengths.max()
        real = (places >= longest - lengths[:, None]) & (places < longest)
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)
