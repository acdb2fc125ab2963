# non-contiguous result
# points: 3

def weights_time_first(query, key):
    s = torch.einsum('ibd,jbd->jib', query, key) / query.size(-1) ** .5
    return s.softmax(0).permute(2, 1, 0)
