# last key for all
# points: 0

def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    if queries == keys:
        allowed = key <= query
    else:
        allowed = torch.ones(queries, keys, dtype=torch.bool)
    if window is not None:
        allowed = allowed & (key > query - window)
    real = attention_mask.bool()[:, None, None, :]
    return allowed & real
