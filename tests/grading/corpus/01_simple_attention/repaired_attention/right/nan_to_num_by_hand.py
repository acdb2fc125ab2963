# By hand with -inf and nan_to_num before the values: its gradients are numbers, for masked_fill stops NaN.
# points: 3
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    """Attention in which padding takes no part: [batch, queries, d_v]."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
    scores = scores.masked_fill(is_padding[:, None, :], float("-inf"))
    weights = torch.nan_to_num(scores.softmax(dim=-1), nan=0.0)
    return weights @ value
