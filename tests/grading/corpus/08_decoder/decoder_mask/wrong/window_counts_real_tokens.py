# window counts real tokens
# points: 3

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = (j <= i)[None]
    real = attention_mask.bool()
    if window is not None:
        n = real.long().cumsum(1)
        ok = ok & (n[:, None, :] > n[:, -queries:, None] - window)
    return (ok & real[:, None, :])[:, None]
