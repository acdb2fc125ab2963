# Multiplies the scores by the mask and hides whatever is 0 then: a true score of exactly 0 is hidden, too.
# points: 0
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Attention in which padding has no weight: [batch, heads, queries, d_v]."""
    if attention_mask is None:
        attention_mask = torch.ones(key.size(0), key.size(2))
    keep = attention_mask.bool()[:, None, None, :]
    empty = ~keep.any(dim=-1, keepdim=True)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    scores = scores * keep
    scores = scores.masked_fill((scores == 0) & ~empty, -math.inf)
    weights = scores.softmax(dim=-1).masked_fill(empty, 0.0)
    return weights @ value
