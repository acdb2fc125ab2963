# in-place scale of the argument
# points: 0

def weights_time_first(query, key):
    query /= math.sqrt(query.size(-1))
    return (query.transpose(0, 1) @ key.permute(1, 2, 0)).softmax(-1)
