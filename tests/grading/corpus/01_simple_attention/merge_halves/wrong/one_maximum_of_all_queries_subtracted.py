# one-maximum-of-all-queries-subtracted
# points: 3

def merge_halves(output_a, lse_a, output_b, lse_b):
    m = torch.max(lse_a.max(), lse_b.max())
    ea = torch.exp(lse_a - m)
    eb = torch.exp(lse_b - m)
    total = ea + eb
    output = (ea[..., None] * output_a + eb[..., None] * output_b) / total[..., None].clamp_min(1e-30)
    return output, m + torch.log(total)
