# hard-coded d_k 4
# points: 0

def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / 2).softmax(-1)
