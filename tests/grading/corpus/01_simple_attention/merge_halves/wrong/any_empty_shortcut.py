# Decides for the whole tensor: if any query saw no key in a half, the other half is returned for all queries.
# points: 3
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    if (lse_a == -math.inf).any():
        return output_b, lse_b
    if (lse_b == -math.inf).any():
        return output_a, lse_a
    lse = torch.logaddexp(lse_a, lse_b)
    a = torch.exp(lse_a - lse)[..., None]
    b = torch.exp(lse_b - lse)[..., None]
    return a * output_a + b * output_b, lse
