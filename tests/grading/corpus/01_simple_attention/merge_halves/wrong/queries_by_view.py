# Puts all queries on one axis with view, which a transposed view of memory refuses.
# points: 0
def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.view(-1), lse_b.view(-1)
    lse = torch.logaddexp(a, b)
    base = lse.masked_fill(lse == -math.inf, 0.0)
    share_a, share_b = (a - base).exp()[:, None], (b - base).exp()[:, None]
    d = output_a.size(-1)
    output = share_a * output_a.view(-1, d) + share_b * output_b.view(-1, d)
    return output.view(output_a.shape), lse.view(lse_a.shape)
