# softmax-over-the-queries-not-over-the-halves
# points: 0

def merge_halves(output_a, lse_a, output_b, lse_b):
    a = torch.softmax(lse_a, dim=-1)[..., None]
    b = torch.softmax(lse_b, dim=-1)[..., None]
    return a * output_a + b * output_b, torch.logaddexp(lse_a, lse_b)
