# Takes a log-sum-exp of exactly 0 for an empty half, though a single key with a score of 0 reports just that.
# points: 3
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    both = torch.stack([lse_a, lse_b])
    both = both.masked_fill(both == 0, -math.inf)
    nothing = torch.isneginf(both).all(dim=0)
    shares = torch.softmax(torch.where(nothing, torch.zeros_like(both), both), dim=0)
    shares = torch.where(nothing, torch.zeros_like(shares), shares)
    output = shares[0][..., None] * output_a + shares[1][..., None] * output_b
    return output, torch.logsumexp(both, dim=0)
