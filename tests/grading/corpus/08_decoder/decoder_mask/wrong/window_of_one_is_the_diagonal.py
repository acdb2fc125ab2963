# A window of 1 is taken for the diagonal, padding or not.
# points: 3
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    """True where a query may see a key, [batch, 1, queries, keys]."""
    keys = attention_mask.size(1)
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys)[:, None]
    allowed = key <= query
    if window == 1:
        return (key == query).expand(len(attention_mask), 1, queries, keys)
    if window is not None:
        allowed = allowed & (key > query - window)
    return allowed & (attention_mask != 0)[:, None, None, :]
