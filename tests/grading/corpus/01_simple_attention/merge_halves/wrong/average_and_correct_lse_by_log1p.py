# average and correct lse by log1p
# points: 0

def merge_halves(output_a, lse_a, output_b, lse_b):
    m, n = torch.maximum(lse_a, lse_b), torch.minimum(lse_a, lse_b)
    return (output_a + output_b) / 2, m + torch.log1p((n - m).exp())
