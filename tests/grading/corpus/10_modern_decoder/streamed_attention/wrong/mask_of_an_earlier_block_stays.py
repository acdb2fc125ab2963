# Keeps the mask of the last block that had one, and uses it on a later block of the same size without a mask.
# points: 3
def streamed_attention(query, blocks):
    top = torch.full(query.shape[:-1], -math.inf)
    total = torch.zeros(query.shape[:-1])
    output, visible = 0.0, None
    for key, value, mask in blocks:
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        if mask is not None:
            visible = mask.clone()
        if visible is not None and visible.shape[-1] == scores.shape[-1]:
            scores = scores.masked_fill(~visible, -math.inf)
        new = torch.maximum(top, scores.amax(-1))
        safe = new.masked_fill(new == -math.inf, 0.0)
        factor = torch.exp(top - safe)
        weights = torch.exp(scores - safe[..., None])
        total = total * factor + weights.sum(-1)
        output = output * factor[..., None] + weights @ value
        top = new
    output = output / total.masked_fill(total == 0, 1.0)[..., None]
    return output, top + torch.log(total)
