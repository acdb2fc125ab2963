# eps in log and division
# points: 0

def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.exp(), lse_b.exp()
    t = a + b + 1e-2
    return (a[..., None] * output_a + b[..., None] * output_b) / t[..., None], t.log()
