# All three bugs are gone, but the softmax is by hand and NaN is mended afterwards: gradients of an empty sentence are NaN.
# points: 2
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    scores = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    hide = torch.zeros(is_padding.shape, dtype=scores.dtype).masked_fill(is_padding, -math.inf)
    weights = torch.nan_to_num((scores + hide.unsqueeze(1)).softmax(dim=-1), nan=0.0)
    return weights @ value
