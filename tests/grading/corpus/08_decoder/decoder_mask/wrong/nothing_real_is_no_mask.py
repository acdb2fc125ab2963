# a mask without a real token is taken for none, and all tokens for real
# points: 0
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    """True where a query may see a key, [batch, 1, queries, keys]."""
    if not attention_mask.any():
        attention_mask = torch.ones_like(attention_mask)
    keys = attention_mask.size(1)
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys)[:, None]
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window)
    return allowed & (attention_mask != 0)[:, None, None, :]

