# The largest score starts at 0 (so -200 underflows), and a block of which nothing is seen ends the loop.
# points: 2
def streamed_attention(query, blocks):
    scale = query.shape[-1] ** -0.5
    top = torch.zeros_like(query[..., :1])
    total = torch.zeros_like(top)
    result = torch.zeros(1)
    for key, value, mask in blocks:
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * scale
        if mask is not None:
            if not mask.any():
                break
            scores = torch.where(mask, scores, -math.inf)
        new_top = torch.maximum(top, scores.max(-1, keepdim=True).values)
        safe = torch.where(new_top == -math.inf, 0.0, new_top)
        factor = torch.exp(top - safe)
        e = torch.exp(scores - safe)
        total = total * factor + e.sum(-1, keepdim=True)
        result = result * factor + e @ value
        top = new_top
    output = torch.where(total > 0, result / total.clamp(min=1e-30), 0.0)
    return output, (top + total.log()).nan_to_num(neginf=-math.inf)[..., 0]
