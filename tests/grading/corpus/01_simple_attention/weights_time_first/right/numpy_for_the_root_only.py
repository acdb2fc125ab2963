# numpy for the root only
# points: 3

import numpy as np
def weights_time_first(query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / np.sqrt(query.size(-1))).softmax(-1)
