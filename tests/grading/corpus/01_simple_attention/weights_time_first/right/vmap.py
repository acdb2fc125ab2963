# vmap
# points: 3

def _one(q, k):
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(-1)
weights_time_first = torch.vmap(_one, in_dims=1, out_dims=0)
