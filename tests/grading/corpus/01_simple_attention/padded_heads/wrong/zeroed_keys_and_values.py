# Sets keys and values of padding to zero and masks no score: a score of 0 still takes its share of the softmax.
# points: 0
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Attention in which padding has no weight: [batch, heads, queries, d_v]."""
    if attention_mask is not None:
        m = attention_mask[:, None, :, None].to(key.dtype)
        key = key * m
        value = value * m
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    return scores.softmax(-1) @ value
