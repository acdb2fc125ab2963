# logaddexp of the outputs
# points: 0

def merge_halves(output_a, lse_a, output_b, lse_b):
    return torch.logaddexp(output_a, output_b), torch.logaddexp(lse_a, lse_b)
