# squeeze of axis 0
# points: 0

def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).squeeze(0)
