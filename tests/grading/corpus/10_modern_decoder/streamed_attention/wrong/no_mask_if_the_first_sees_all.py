# Leaves a block's mask out where it hides nothing from the first row of the batch.
# points: 3
def streamed_attention(query, blocks):
    """Attention over keys and values that come by once; output and log-sum-exp."""
    largest = torch.full(query.shape[:-1], -math.inf, dtype=query.dtype)
    total = torch.zeros_like(largest)  # of e^(score - largest)
    weighted = 0.0  # of e^(score - largest) * value
    for key, value, mask in blocks:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None and not mask[0].all():
            scores = scores.masked_fill(~mask, -math.inf)
        new = torch.maximum(largest, scores.amax(-1))
        shift = new.masked_fill(new == -math.inf, 0.0)  # -inf - -inf would be NaN
        correction = (largest - shift).exp()
        parts = (scores - shift.unsqueeze(-1)).exp()
        total = total * correction + parts.sum(-1)
        weighted = weighted * correction.unsqueeze(-1) + parts @ value
        largest = new
    divisor = total.masked_fill(total == 0, 1.0)
    output = weighted / divisor.unsqueeze(-1)
    lse = largest + total.log()
    return output, lse
