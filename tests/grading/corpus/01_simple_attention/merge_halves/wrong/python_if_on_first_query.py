# python if on first query
# points: 3

def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    if lse.min() == -math.inf:
        return torch.zeros_like(output_a), lse
    a, b = (lse_a - lse).exp()[..., None], (lse_b - lse).exp()[..., None]
    return a * output_a + b * output_b, lse
