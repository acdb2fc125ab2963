# no-new-axis-for-the-shares
# points: 0

def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    safe = torch.where(lse == -math.inf, torch.zeros_like(lse), lse)
    a = torch.exp(lse_a - safe)
    b = torch.exp(lse_b - safe)
    output = a * output_a + b * output_b
    return output, lse
