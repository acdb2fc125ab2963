# clamp at 80
# points: 2

def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.clamp(-80, 80).exp(), lse_b.clamp(-80, 80).exp()
    t = a + b
    return (a[..., None] * output_a + b[..., None] * output_b) / t[..., None], t.log()
