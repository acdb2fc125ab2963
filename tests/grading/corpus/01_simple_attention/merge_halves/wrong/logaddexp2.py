# logaddexp2
# points: 0

def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp2(lse_a, lse_b)
    return (lse_a - lse).exp2()[..., None] * output_a + (lse_b - lse).exp2()[..., None] * output_b, lse
