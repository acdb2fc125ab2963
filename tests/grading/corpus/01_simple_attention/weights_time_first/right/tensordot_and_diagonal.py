# tensordot and diagonal
# points: 3

def weights_time_first(query, key):
    s = torch.tensordot(query, key, dims=([2], [2]))
    s = torch.diagonal(s, dim1=1, dim2=3).permute(2, 0, 1)
    return F.softmax(s / torch.tensor(query.size(-1)).sqrt(), dim=-1)
