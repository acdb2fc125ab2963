# queries are the last real tokens
# points: 0

def decoder_mask(attention_mask, queries, window=None):
    real = attention_mask.bool()
    keys = real.size(1)
    i = (real.sum(1)[:, None] - queries + torch.arange(queries))[:, None, :, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j > i - window)
    return ok & real[:, None, None, :]
