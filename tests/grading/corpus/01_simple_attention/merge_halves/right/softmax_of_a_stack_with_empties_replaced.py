# softmax-of-a-stack-with-empties-replaced
# points: 4

def merge_halves(output_a, lse_a, output_b, lse_b):
    lses = torch.stack((lse_a, lse_b), dim=-1)
    empty = (lses == -math.inf).all(-1, keepdim=True)
    share = lses.masked_fill(empty, 0.0).softmax(-1)
    out = torch.einsum("...qh,...qvh->...qv", share, torch.stack((output_a, output_b), -1))
    return [out, torch.logsumexp(lses, -1)]
