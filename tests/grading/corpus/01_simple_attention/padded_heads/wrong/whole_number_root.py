# The root of d_k is rounded down to a whole number
# points: 0
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.isqrt(query.size(-1))
    if attention_mask is None:
        return scores.softmax(dim=-1) @ value
    keep = attention_mask[:, None, None, :] == 1
    seen = keep.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~keep, float("-inf")).masked_fill(~seen, 0.0)
    return scores.softmax(dim=-1).masked_fill(~keep, 0.0) @ value
