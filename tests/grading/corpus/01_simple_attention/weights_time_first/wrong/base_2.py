# base 2
# points: 0

def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    e = 2 ** (s - s.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)
