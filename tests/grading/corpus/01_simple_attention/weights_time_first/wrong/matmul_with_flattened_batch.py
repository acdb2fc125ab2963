# matmul with flattened batch
# points: 0

def weights_time_first(query, key):
    q, k = query.flatten(0, 1), key.flatten(0, 1)
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(-1)
