# A window that is at least as large as the number of queries is ignored, though a cache makes more keys.
# points: 3
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    real = attention_mask.bool()
    keys = real.shape[1]
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None and window < queries:
        allowed = allowed.triu(keys - queries - window + 1)
    return real[:, None, None] & allowed
