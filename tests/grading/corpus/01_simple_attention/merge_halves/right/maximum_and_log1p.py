# maximum and log1p
# points: 4

def merge_halves(output_a, lse_a, output_b, lse_b):
    hi, lo = torch.maximum(lse_a, lse_b), torch.minimum(lse_a, lse_b)
    d = (lo - hi).nan_to_num(0., neginf=-math.inf)
    lse = hi + torch.log1p(d.exp())
    p = (1 / (1 + d.exp()))[..., None]
    first = (lse_a >= lse_b)[..., None]
    return torch.where(first, p * output_a + (1 - p) * output_b, (1 - p) * output_a + p * output_b), lse
