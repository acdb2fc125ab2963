# tanh instead of sigmoid
# points: 0

def merge_halves(output_a, lse_a, output_b, lse_b):
    s = torch.tanh(lse_a - lse_b)[..., None]
    return s * output_a + (1 - s) * output_b, torch.logaddexp(lse_a, lse_b)
