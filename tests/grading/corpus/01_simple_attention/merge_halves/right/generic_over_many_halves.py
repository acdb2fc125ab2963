# generic over many halves
# points: 4

def merge(*halves):
    lse = torch.stack([l for _, l in halves]); o = torch.stack([o for o, _ in halves])
    whole = lse.logsumexp(0)
    share = torch.where(lse.isneginf(), 0., (lse - whole.clamp(min=-1e38)).exp())
    return torch.einsum('h...q,h...qd->...qd', share, o), whole
def merge_halves(output_a, lse_a, output_b, lse_b):
    return merge((output_a, lse_a), (output_b, lse_b))
