# partial
# points: 3

from functools import partial
def _w(dim, query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(dim)
weights_time_first = partial(_w, -1)
