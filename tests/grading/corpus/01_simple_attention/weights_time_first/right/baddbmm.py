# baddbmm
# points: 3

def weights_time_first(query, key):
    B, i, j = query.size(1), query.size(0), key.size(0)
    return torch.baddbmm(torch.zeros(B, i, j), query.transpose(0, 1), key.permute(1, 2, 0), beta=0, alpha=query.size(-1) ** -.5).softmax(-1)
