# window replaces padding
# points: 3

def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys).unsqueeze(-1)
    allowed = key <= query
    if window is not None:
        return (allowed & (key > query - window)).expand(batch, 1, queries, keys)
    return allowed & attention_mask.bool()[:, None, None, :]
