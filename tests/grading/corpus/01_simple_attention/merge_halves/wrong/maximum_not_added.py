# The log-sum-exp comes back without the maximum that was subtracted.
# points: 0
def merge_halves(output_a, lse_a, output_b, lse_b):
    m = torch.maximum(lse_a, lse_b)
    m = torch.where(m == -math.inf, torch.zeros_like(m), m)
    a = torch.exp(lse_a - m)
    b = torch.exp(lse_b - m)
    lse = torch.log(a + b)
    norm = (a + b).clamp(min=1e-30)
    output = (a / norm).unsqueeze(-1) * output_a + (b / norm).unsqueeze(-1) * output_b
    return output, lse
