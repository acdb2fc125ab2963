# float64 out of merge
# points: 0

def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a.double(), lse_b.double())
    f = lse.masked_fill(lse == -math.inf, 0.)
    return (lse_a - f).exp()[..., None] * output_a + (lse_b - f).exp()[..., None] * output_b, lse
