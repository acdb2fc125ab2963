# The weighted sum has the shape of the query, so value_size must equal head_size.
# points: 0
def streamed_attention(query, blocks):
    scale = query.shape[-1] ** -0.5
    top = torch.full_like(query[..., :1], -math.inf)
    total = torch.zeros_like(top)
    result = torch.zeros_like(query)
    for key, value, mask in blocks:
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * scale
        if mask is not None:
            scores = torch.where(mask, scores, -math.inf)
        new_top = torch.maximum(top, scores.max(-1, keepdim=True).values)
        safe = torch.where(new_top == -math.inf, 0.0, new_top)
        factor = torch.exp(top - safe)
        e = torch.exp(scores - safe)
        total = total * factor + e.sum(-1, keepdim=True)
        result *= factor
        result += e @ value
        top = new_top
    output = torch.where(total > 0, result / total.clamp(min=1e-30), 0.0)
    return output, (top + total.log())[..., 0]
