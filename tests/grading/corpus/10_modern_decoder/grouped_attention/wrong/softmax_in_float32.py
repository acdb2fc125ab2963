# The softmax is computed in float32, whatever the dtype of the query.
# points: 3
def grouped_attention(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Causal attention of grouped heads, [batch, queries, heads, value_size]."""
    queries, keys = query.size(1), key.size(1)
    group = query.size(2) // key.size(2)
    query = query.transpose(1, 2)
    key = key.transpose(1, 2).repeat_interleave(group, dim=1)
    value = value.transpose(1, 2).repeat_interleave(group, dim=1)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        allowed = allowed & (attention_mask != 0)[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~allowed, lowest).float().softmax(dim=-1).to(scores.dtype) * allowed
    return (weights @ value).transpose(1, 2)
