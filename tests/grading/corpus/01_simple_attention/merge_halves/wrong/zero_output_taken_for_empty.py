# Takes a half whose output is all zeros for one that saw no key, although its values may just have been zeros and its log-sum-exp is finite.
# points: 3
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse_a = lse_a.masked_fill((output_a == 0).all(dim=-1), float("-inf"))
    lse_b = lse_b.masked_fill((output_b == 0).all(dim=-1), float("-inf"))
    lse = torch.logaddexp(lse_a, lse_b)
    safe = lse.masked_fill(lse == float("-inf"), 0.0)
    weight_a = torch.exp(lse_a - safe).unsqueeze(-1)
    weight_b = torch.exp(lse_b - safe).unsqueeze(-1)
    return weight_a * output_a + weight_b * output_b, lse
