# Sets queries to zero that see nothing of the last block, whatever they saw before.
# points: 3
def streamed_attention(query, blocks):
    scale = query.shape[-1] ** -0.5
    top = torch.full_like(query[..., :1], -math.inf)
    total = torch.zeros_like(top)
    result = 0
    for key, value, mask in blocks:
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * scale
        if mask is not None:
            scores = torch.where(mask, scores, -math.inf)
        new_top = torch.maximum(top, scores.max(-1, keepdim=True).values)
        safe = torch.where(new_top == -math.inf, 0.0, new_top)
        factor = torch.exp(top - safe)
        e = torch.exp(scores - safe)
        total = total * factor + e.sum(-1, keepdim=True)
        result = result * factor + e @ value
        top = new_top
        seen = None if mask is None else mask.any(-1, keepdim=True)
    output = torch.where(total > 0, result / total.clamp(min=1e-30), 0.0)
    if seen is not None:
        output = output * seen
    return output, (top + total.log())[..., 0]
