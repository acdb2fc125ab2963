# Subtracts the largest score of the first block from all blocks: overflows or underflows where later blocks are far apart from it.
# points: 3
def streamed_attention(query: Tensor, blocks) -> tuple[Tensor, Tensor]:
    """Attention over keys and values that come by once; output and log-sum-exp."""
    shift = None
    total, weighted = 0, 0
    for key, value, mask in blocks:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        if shift is None:
            shift = scores.amax(dim=-1, keepdim=True)
            shift = torch.where(shift == -math.inf, torch.zeros_like(shift), shift)
        parts = (scores - shift).exp()
        total = total + parts.sum(dim=-1, keepdim=True)
        weighted = weighted + parts @ value
    output = torch.where(total > 0, weighted / total, torch.zeros_like(weighted))
    return output, (total.log() + shift).squeeze(-1)
