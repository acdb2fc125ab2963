# The window sees one place too many, and a float mask is read as an additive one (0 means visible).
# points: 2
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    keys = attention_mask.shape[1]
    real = attention_mask == 0 if attention_mask.is_floating_point() else attention_mask.bool()
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys).unsqueeze(1)
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key >= query - window)
    return real[:, None, None, :] & allowed
