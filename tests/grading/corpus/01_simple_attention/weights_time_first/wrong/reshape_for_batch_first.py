# reshape for batch first
# points: 0

def weights_time_first(query, key):
    q = query.reshape(query.size(1), query.size(0), -1)
    k = key.reshape(key.size(1), key.size(0), -1)
    return (q @ k.transpose(1, 2) / math.sqrt(q.size(-1))).softmax(-1)
