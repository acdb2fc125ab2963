# tril and triu
# points: 4

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.shape[1]
    ok = torch.ones(queries, keys).tril(keys - queries)
    if window:
        ok = ok.triu(keys - queries - window + 1)
    return torch.logical_and(ok, attention_mask[:, None, None])
