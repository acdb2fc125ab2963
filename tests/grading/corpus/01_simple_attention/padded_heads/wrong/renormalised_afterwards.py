# Zeroes the weights after the softmax and normalises again with an epsilon, too late for scores of -20000 beside far higher padding.
# points: 4
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    weights = (query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))).softmax(dim=-1)
    if attention_mask is not None:
        weights = weights * attention_mask[:, None, None, :]
        weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-9)
    return weights @ value
