# The log-sum-exp is that of the average of the two halves, too small by log 2
# points: 0
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    top = torch.maximum(lse_a, lse_b).detach()
    top = top.masked_fill(torch.isneginf(top), 0.0)
    powers = torch.stack([lse_a - top, lse_b - top]).exp()
    total = powers.sum(dim=0)
    shares = (powers / total.masked_fill(total == 0, 1.0)).unsqueeze(-1)
    return shares[0] * output_a + shares[1] * output_b, top + torch.log(powers.mean(dim=0))
