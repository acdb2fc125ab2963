# maximum of lse_a for both
# points: 3

def merge_halves(output_a, lse_a, output_b, lse_b):
    m = lse_a.masked_fill(lse_a == -math.inf, 0.)
    a, b = (lse_a - m).exp(), (lse_b - m).exp()
    t = a + b
    o = ((a[..., None] * output_a + b[..., None] * output_b) / t[..., None]).nan_to_num(0.)
    return o, m + t.log()
