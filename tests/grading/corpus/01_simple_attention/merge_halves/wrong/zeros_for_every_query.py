# If any query is empty in both halves, it returns zeros for all queries.
# points: 3
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    """Output and log-sum-exp of attention over all keys, from those of two halves."""
    lse = torch.logaddexp(lse_a, lse_b)
    if (lse == float("-inf")).any():
        # both halves are empty
        return torch.zeros_like(output_a), lse
    share_a = torch.exp(lse_a - lse)[..., None]
    share_b = torch.exp(lse_b - lse)[..., None]
    return share_a * output_a + share_b * output_b, lse
