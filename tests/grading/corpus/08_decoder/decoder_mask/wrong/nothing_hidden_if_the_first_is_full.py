# Hides no padding where the first text has none, although others may have some.
# points: 0
def decoder_mask(attention_mask, queries, window=None):
    """True where a query may see a key."""
    keys = attention_mask.size(1)
    key = torch.arange(keys)
    query = torch.arange(queries)[:, None] + keys - queries  # the last positions
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window)
    real = attention_mask != 0
    if real[0].all():
        real = torch.ones_like(real)
    mask = allowed & real[:, None, None]  # [batch, 1, queries, keys]
    return mask
