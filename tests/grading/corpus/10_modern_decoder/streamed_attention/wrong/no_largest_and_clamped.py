# Sums e to the power of the score as it is, and clamps the total, so the lse of nothing is a number.
# points: 2
def streamed_attention(query: Tensor, blocks) -> tuple[Tensor, Tensor]:
    """Attention over keys and values that come by once; output and log-sum-exp."""
    total = torch.zeros(*query.shape[:-1], 1, dtype=query.dtype)
    acc = None
    for key, value, mask in blocks:
        e = torch.einsum("bhqd,bhkd->bhqk", query, key).div(query.size(-1) ** 0.5)
        if mask is not None:
            e = e.masked_fill(~mask, float("-inf"))
        e = e.exp()
        total += e.sum(dim=-1, keepdim=True)
        acc = e @ value if acc is None else acc + e @ value
    total = total.clamp(min=1e-20)
    return acc / total, total.log().squeeze(-1)
