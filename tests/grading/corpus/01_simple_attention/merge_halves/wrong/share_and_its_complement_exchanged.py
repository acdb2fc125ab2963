# share and its complement, exchanged
# points: 0

def merge_halves(output_a, lse_a, output_b, lse_b):
    s = torch.sigmoid(lse_b - lse_a).nan_to_num(0.)[..., None]
    return s * output_a + (1 - s) * output_b, torch.logaddexp(lse_a, lse_b)
