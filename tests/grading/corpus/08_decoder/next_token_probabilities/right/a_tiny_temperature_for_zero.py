# a tiny temperature for zero
# points: 4

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits / max(temperature, 1e-9)
    V = z.shape[-1]
    rank = z.argsort(-1, descending=True).argsort(-1)
    if top_k is not None:
        z = torch.where(rank < top_k, z, -torch.inf)
    if top_p is not None:
        p = z.softmax(-1)
        # what is more likely than token t
        more = (p.unsqueeze(-2) * (rank.unsqueeze(-2) < rank.unsqueeze(-1))).sum(-1)
        z = torch.where((more < top_p) | (rank == 0), z, -torch.inf)
    return z.softmax(-1)
