# half the window
# points: 3

def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    """True where a query may see a key, [batch, 1, queries, keys]."""
    keys = attention_mask.size(1)
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys)[:, None]
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window // 2)
    return allowed & (attention_mask != 0)[:, None, None, :]
