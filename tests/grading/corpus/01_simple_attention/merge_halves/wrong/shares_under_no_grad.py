# The shares are computed under no_grad "for stability", so the log-sum-exps get no gradient from the output.
# points: 3
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    lse = torch.logaddexp(lse_a, lse_b)
    with torch.no_grad():
        reference = torch.where(torch.isinf(lse), torch.zeros_like(lse), lse)
        share_a = (lse_a - reference).exp()[..., None]
        share_b = (lse_b - reference).exp()[..., None]
    return share_a * output_a + share_b * output_b, lse
