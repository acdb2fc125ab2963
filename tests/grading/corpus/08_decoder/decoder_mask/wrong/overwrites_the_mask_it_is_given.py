# overwrites the mask it is given
# points: 0

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return ok & (attention_mask.sub_(1) == 0)[:, None, None, :]
