# default arguments added
# points: 3

def weights_time_first(query, key, dim=-1, *, scale=None, **more):
    scale = scale or query.size(-1) ** -.5
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) * scale).softmax(dim)
