# global maximum, nan_to_num
# points: 3

def merge_halves(output_a, lse_a, output_b, lse_b):
    m = torch.stack([lse_a, lse_b]).max()
    m = 0 if m == -math.inf else m
    a, b = (lse_a - m).exp(), (lse_b - m).exp()
    o = ((a[..., None] * output_a + b[..., None] * output_b) / (a + b)[..., None]).nan_to_num(0.)
    return o, m + (a + b).log()
