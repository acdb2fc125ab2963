# concatenated outputs
# points: 0

def merge_halves(output_a, lse_a, output_b, lse_b):
    return torch.cat([output_a, output_b], -2), torch.logaddexp(lse_a, lse_b)
