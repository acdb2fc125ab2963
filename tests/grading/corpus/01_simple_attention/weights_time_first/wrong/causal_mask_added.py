# causal mask added
# points: 0

def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.masked_fill(torch.ones_like(s).triu(1).bool(), -math.inf).softmax(-1)
