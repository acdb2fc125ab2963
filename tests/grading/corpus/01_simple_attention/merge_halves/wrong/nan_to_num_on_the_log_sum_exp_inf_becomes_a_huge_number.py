# nan-to-num-on-the-log-sum-exp-inf-becomes-a-huge-number
# points: 3

def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    safe = torch.where(lse == -math.inf, torch.zeros_like(lse), lse)
    a = torch.exp(lse_a - safe).unsqueeze(-1)
    b = torch.exp(lse_b - safe).unsqueeze(-1)
    output = a * output_a + b * output_b
    return output, torch.nan_to_num(lse)
