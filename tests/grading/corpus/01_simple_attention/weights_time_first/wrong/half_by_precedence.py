# d_k ** 1/2, which is d_k / 2
# points: 0

def weights_time_first(query, key):
    d_k = query.shape[-1]
    q, k = query.permute(1, 0, 2), key.permute(1, 2, 0)
    return torch.softmax(torch.bmm(q, k) / (d_k ** 1/2), -1)
