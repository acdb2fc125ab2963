# normalised-by-the-maximum-of-each-row-not-the-sum
# points: 0

def weights_time_first(query, key):
    s = torch.einsum("qbd,kbd->bqk", query, key) / math.sqrt(query.shape[-1])
    e = torch.exp(s - s.amax(-1, keepdim=True))
    return e / e.amax(-1, keepdim=True)
