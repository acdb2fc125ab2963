# the last window keys for every query
# points: 3

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok[:, : max(keys - window, 0)] = False
    return ok & attention_mask.bool()[:, None, None, :]
