# Clamps the total at 1e-9 before both the division and the logarithm, so a query that saw nothing has a finite lse.
# points: 3
def streamed_attention(query: Tensor, blocks) -> tuple[Tensor, Tensor]:
    """Attention over keys and values that come by once; output and log-sum-exp."""
    largest = torch.full(query.shape[:-1], -math.inf, dtype=query.dtype)
    total = torch.zeros_like(largest)
    weighted = 0.0
    for key, value, mask in blocks:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        new = torch.maximum(largest, scores.amax(dim=-1))
        shift = new.masked_fill(new == -math.inf, 0.0)
        correction = (largest - shift).exp()
        parts = (scores - shift[..., None]).exp()
        total = total * correction + parts.sum(dim=-1)
        weighted = weighted * correction[..., None] + parts @ value
        largest = new
    total = total.clamp(min=1e-9)
    shift = largest.masked_fill(largest == -math.inf, 0.0)
    return weighted / total[..., None], shift + total.log()
