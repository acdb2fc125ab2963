# window never used
# points: 3

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(diagonal=keys - queries)
    return torch.logical_and(ok, attention_mask[:, None, None, :])
