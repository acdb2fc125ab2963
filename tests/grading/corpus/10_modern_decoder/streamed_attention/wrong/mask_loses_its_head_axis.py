# Squeezes the axis of one out of the mask, so that its batch is laid over the heads.
# points: 3
def streamed_attention(query, blocks):
    top = query.new_full((*query.shape[:3], 1), -math.inf)
    total, acc = torch.zeros_like(top), 0.0
    for key, value, mask in blocks:
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask.squeeze(1), -math.inf)
        new_top = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        safe = new_top.masked_fill(new_top == -math.inf, 0.0)
        old = torch.exp(top - safe)
        p = torch.exp(scores - safe)
        total = total * old + p.sum(dim=-1, keepdim=True)
        acc = acc * old + p @ value
        top = new_top
    output = acc / total.masked_fill(total == 0, 1.0)
    return output, (top + total.log()).squeeze(-1)
