# a text that is all padding is opened
# points: 0

def decoder_mask(attention_mask, queries, window=None):
    real = attention_mask.bool()
    real = real | ~real.any(dim=1, keepdim=True)
    keys = attention_mask.size(1)
    d = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    ok = d >= 0
    if window is not None:
        ok = ok & (d < window)
    return real[:, None, None] & ok
