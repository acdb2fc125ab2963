# always the square mask
# points: 0

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(keys, keys, dtype=torch.bool).tril()
    if window is not None:
        ok = ok.triu(1 - window)
    return ok & attention_mask.bool()[:, None, None, :]
