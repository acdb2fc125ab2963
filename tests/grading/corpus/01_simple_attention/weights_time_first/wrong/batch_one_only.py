# batch one only
# points: 0

def weights_time_first(query, key):
    q, k = query.squeeze(1), key.squeeze(1)
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(-1).unsqueeze(0)
