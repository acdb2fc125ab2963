# clamp at -1e4
# points: 3

def merge_halves(output_a, lse_a, output_b, lse_b):
    lse_a, lse_b = lse_a.clamp(min=-1e4), lse_b.clamp(min=-1e4)
    lse = torch.logaddexp(lse_a, lse_b)
    return (lse_a - lse).exp()[..., None] * output_a + (lse_b - lse).exp()[..., None] * output_b, lse
