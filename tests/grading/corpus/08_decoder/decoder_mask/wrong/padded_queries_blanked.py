# padded queries blanked
# points: 0

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    real = attention_mask != 0
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j > i - window)
    return ok & real[:, None, None, :] & real[:, None, keys - queries:, None]
