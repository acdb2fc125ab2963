# Both branches of where are computed; the one not taken overflows and makes the gradient NaN where the halves lie far apart.
# points: 3
def merge_halves(output_a, lse_a, output_b, lse_b):
    gap = lse_a - lse_b
    lse = torch.where(gap > 0, lse_a + torch.log1p(torch.exp(-gap)), lse_b + torch.log1p(torch.exp(gap)))
    lse = torch.where(lse_a == -math.inf, lse_b, torch.where(lse_b == -math.inf, lse_a, lse))
    share = torch.sigmoid(gap)
    share = torch.where(lse_a == -math.inf, 0.0, torch.where(lse_b == -math.inf, 1.0, share)).unsqueeze(-1)
    return share * output_a + (1 - share) * output_b, lse
