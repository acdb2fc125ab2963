# in-place on a view of the key
# points: 0

def weights_time_first(query, key):
    k = key.permute(1, 2, 0)
    k.div_(key.size(-1) ** 0.5)
    return (query.transpose(0, 1) @ k).softmax(-1)
