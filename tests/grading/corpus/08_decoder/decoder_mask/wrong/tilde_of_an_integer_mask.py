# tilde of an integer mask
# points: 0

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return ok.bool() & ~(~attention_mask).bool()[:, None, None, :]
