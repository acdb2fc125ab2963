# With a window, and where nothing is padded, one mask comes back for all texts.
# points: 3
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    """True where a query may see a key, [batch, 1, queries, keys]."""
    keys = attention_mask.size(1)
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys)[:, None]
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window)
    if window is not None and bool((attention_mask != 0).all()):
        return allowed[None, None]
    return allowed & (attention_mask != 0)[:, None, None, :]
