# future only
# points: 0

def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    allowed = key >= query
    if window is not None:
        allowed = allowed & (key < query + window)
    real = attention_mask.bool()[:, None, None, :]
    return allowed & real
