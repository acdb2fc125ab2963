# Treats the halves by which has more and has no branch for queries whose two log-sum-exps are equal: their output is zeros.
# points: 0
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    lse = torch.logaddexp(lse_a, lse_b)
    safe = lse.masked_fill(lse == -math.inf, 0.0)
    share_a = torch.exp(lse_a - safe).unsqueeze(-1)
    share_b = torch.exp(lse_b - safe).unsqueeze(-1)
    merged = share_a * output_a + share_b * output_b
    more_in_a = (lse_a > lse_b).unsqueeze(-1)
    more_in_b = (lse_b > lse_a).unsqueeze(-1)
    output = torch.zeros_like(merged)
    output = torch.where(more_in_a, merged, output)
    output = torch.where(more_in_b, merged, output)
    return output, lse
