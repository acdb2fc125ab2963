# first batch repeated
# points: 0

def weights_time_first(query, key):
    q, k = query[:, 0], key[:, 0]
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(-1).expand(query.size(1), -1, -1)
