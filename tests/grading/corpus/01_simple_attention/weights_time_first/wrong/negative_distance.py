# negative distance
# points: 0

def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    return (-torch.cdist(q, k) / math.sqrt(q.size(-1))).softmax(-1)
