# a shortcut for a single query, which forgets the window
# points: 3

def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:

    real = attention_mask.bool()[:, None, None, :]
    if queries == 1:  # the newest token may see everything before it
        return real
    keys = attention_mask.size(1)
    distance = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    allowed = distance >= 0
    if window is not None:
        allowed = allowed & (distance < window)
    return real & allowed
