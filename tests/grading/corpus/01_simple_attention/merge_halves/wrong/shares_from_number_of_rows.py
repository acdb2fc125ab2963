# shares from number of rows
# points: 0

def merge_halves(output_a, lse_a, output_b, lse_b):
    n = output_a.size(-2) + output_b.size(-2)
    return (output_a * output_a.size(-2) + output_b * output_b.size(-2)) / n, torch.logaddexp(lse_a, lse_b)
