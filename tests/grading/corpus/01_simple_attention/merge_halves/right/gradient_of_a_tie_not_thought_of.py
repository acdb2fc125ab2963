# Builds the log-sum-exp from the larger one and the absolute gap, whose gradients are 1 and 0 in place of 1/2 and 1/2 where both are exactly equal.
# points: 4
def merge_halves(output_a, lse_a, output_b, lse_b):
    larger = torch.where(lse_a >= lse_b, lse_a, lse_b)
    both_empty = torch.isneginf(larger)
    gap = (lse_a - lse_b).masked_fill(both_empty, 0.0).abs()
    lse = larger + torch.log1p(torch.exp(-gap))
    safe = lse.masked_fill(both_empty, 0.0)
    weight_a = torch.exp(lse_a - safe).unsqueeze(-1)
    weight_b = torch.exp(lse_b - safe).unsqueeze(-1)
    return weight_a * output_a + weight_b * output_b, lse
