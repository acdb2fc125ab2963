# warns on stderr and prints
# points: 3

import warnings, sys
def weights_time_first(query, key):
    warnings.warn('slow'); print('called', query.shape); print('err', file=sys.stderr)
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
