# ranks and products
# points: 4

class _Warp:
    def __init__(self, temperature, top_k, top_p):
        self.t, self.k, self.p = temperature, top_k, top_p

    def __call__(self, z):
        rank = z.argsort(-1, descending=True).argsort(-1)
        if self.t == 0:
            return (rank == 0).type_as(z)
        prob = torch.softmax(z / self.t, -1)
        if self.k is not None:
            prob = prob * (rank < self.k)
            prob = prob / prob.sum(-1, keepdim=True)
        if self.p is not None:
            earlier = rank.unsqueeze(-1) > rank.unsqueeze(-2)
            before = (prob.detach().unsqueeze(-2) * earlier).sum(-1)
            prob = prob * (before < self.p)
        return prob / prob.sum(-1, keepdim=True)


def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    return _Warp(temperature, top_k, top_p)(logits)
