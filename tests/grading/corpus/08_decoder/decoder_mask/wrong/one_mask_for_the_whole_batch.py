# one mask for the whole batch
# points: 0

def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return (ok & (attention_mask != 0).all(0)).expand(batch, 1, queries, keys)
