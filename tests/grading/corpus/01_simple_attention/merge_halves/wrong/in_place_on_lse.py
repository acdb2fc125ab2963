# in place on lse
# points: 2

def merge_halves(output_a, lse_a, output_b, lse_b):
    lse_a[lse_a == -math.inf] = -1e30
    lse_b[lse_b == -math.inf] = -1e30
    lse = torch.logaddexp(lse_a, lse_b)
    a, b = (lse_a - lse).exp()[..., None], (lse_b - lse).exp()[..., None]
    return a * output_a + b * output_b, lse.masked_fill(lse < -1e29, -math.inf)
