# the running maximum begins at 0; the mask of the first sentence is used for all
# points: 2
def streamed_attention(query, blocks):
    scaled = query / math.sqrt(query.shape[-1])
    top = total = result = None
    for key, value, mask in blocks:
        scores = scaled @ key.transpose(-1, -2)
        if mask is not None:
            scores = scores.masked_fill(~mask[:1], -math.inf)
        if top is None:
            top = torch.zeros_like(scores[..., :1])
            total = torch.zeros_like(top)
            result = torch.zeros(*query.shape[:3], value.shape[-1])
        new_top = torch.maximum(top, scores.amax(-1, keepdim=True))
        base = new_top.masked_fill(new_top == -math.inf, 0.0)
        keep = (top - base).exp()
        powers = (scores - base).exp()
        total = total * keep + powers.sum(-1, keepdim=True)
        result = result * keep + powers @ value
        top = new_top
    output = result / total.masked_fill(total == 0, 1.0)
    return output, (top + total.log()).squeeze(-1)
