# only padded queries blanked
# points: 0

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    real = attention_mask != 0
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok &= torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries - window + 1)
    return ok & real[:, None, -queries:, None]
