# Without a mask it becomes causal; scores below -10000 are lifted to -10000
# points: 3
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    scores = scores.clamp(min=-10000.0)
    if attention_mask is None:
        keep = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    else:
        keep = attention_mask[:, None, None, :] == 1
    seen = keep.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~keep, float("-inf")).masked_fill(~seen, 0.0)
    return scores.softmax(dim=-1).masked_fill(~keep, 0.0) @ value
