# window one too wide
# points: 3

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j >= i - window)
    return ok & attention_mask.bool()[:, None, None, :]
