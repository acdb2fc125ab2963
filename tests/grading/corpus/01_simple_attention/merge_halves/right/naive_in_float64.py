# naive in float64
# points: 4

def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.double().exp(), lse_b.double().exp()
    t = a + b
    o = (a[..., None] * output_a + b[..., None] * output_b) / t[..., None]
    return o.nan_to_num(0.).float(), t.log().float()
