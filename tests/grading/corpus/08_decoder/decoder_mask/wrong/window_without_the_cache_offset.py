# window without the cache offset
# points: 3

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(1 - window)
    return ok & attention_mask.bool()[:, None, None, :]
