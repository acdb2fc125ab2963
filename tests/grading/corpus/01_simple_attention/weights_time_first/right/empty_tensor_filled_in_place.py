# empty tensor filled in place
# points: 3

def weights_time_first(query, key):
    out = torch.empty(query.size(1), query.size(0), key.size(0))
    for b in range(query.size(1)):
        out[b] = torch.softmax(query[:, b] @ key[:, b].T / math.sqrt(query.size(2)), 1)
    return out
