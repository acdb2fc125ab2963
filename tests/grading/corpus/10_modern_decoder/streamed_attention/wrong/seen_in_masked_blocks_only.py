# what a query has seen is asked of blocks with a mask only, if there is one
# points: 3
def streamed_attention(query, blocks):
    largest = torch.full(query.shape[:-1], -math.inf, dtype=query.dtype)
    total = torch.zeros_like(largest)
    weighted = 0.0
    anymask = False
    seen = torch.zeros_like(total[:, :1]) > 0
    for key, value, mask in blocks:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        new = torch.maximum(largest, scores.amax(-1))
        shift = new.masked_fill(new == -math.inf, 0.0)
        correction = (largest - shift).exp()
        parts = (scores - shift.unsqueeze(-1)).exp()
        total = total * correction + parts.sum(-1)
        weighted = weighted * correction.unsqueeze(-1) + parts @ value
        largest = new
        seen = seen | (mask.any(-1) if mask is not None else torch.zeros_like(total[:, :1]) > 0)
        anymask = anymask or mask is not None
    divisor = total.masked_fill(total == 0, 1.0)
    output = weighted / divisor.unsqueeze(-1)
    lse = largest + total.log()
    if anymask:
        output, lse = output * seen[..., None], lse.masked_fill(~seen, -math.inf)
    return output, lse
