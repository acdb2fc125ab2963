# keepdim-forgotten-in-the-sum-of-the-softmax-by-hand
# points: 0

def weights_time_first(query, key):
    s = torch.einsum("qbd,kbd->bqk", query, key) / math.sqrt(query.shape[-1])
    e = torch.exp(s - s.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1)
