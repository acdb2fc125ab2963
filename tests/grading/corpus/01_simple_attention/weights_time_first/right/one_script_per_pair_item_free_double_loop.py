# one script per pair (item-free double loop)
# points: 3

def weights_time_first(query, key):
    rows = [[torch.stack([(query[i, b] * key[j, b]).sum() for j in range(len(key))]) for i in range(len(query))] for b in range(query.size(1))]
    s = torch.stack([torch.stack(x) for x in rows]) / math.sqrt(query.size(2))
    return torch.exp(s - torch.logsumexp(s, -1, keepdim=True))
