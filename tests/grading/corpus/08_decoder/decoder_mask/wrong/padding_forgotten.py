# padding forgotten
# points: 0

def decoder_mask(attention_mask, queries, window=None):
    b, keys = attention_mask.shape
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j > i - window)
    return ok.expand(b, 1, queries, keys)
