# softmax over queries
# points: 0

def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.softmax(-1)[..., None], lse_b.softmax(-1)[..., None]
    return a * output_a + b * output_b, torch.logaddexp(lse_a, lse_b)
