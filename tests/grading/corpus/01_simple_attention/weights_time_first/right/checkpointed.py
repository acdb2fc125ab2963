# checkpointed
# points: 3

from torch.utils.checkpoint import checkpoint
def _w(query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
def weights_time_first(query, key):
    return checkpoint(_w, query, key, use_reentrant=False)
