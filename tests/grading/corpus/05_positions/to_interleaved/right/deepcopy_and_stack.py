# deepcopy and stack
# points: 4

import copy
def to_interleaved(state, nq, nk, r):
    new = copy.deepcopy(state)
    for name in new:
        if 'query' in name or 'key' in name:
            n = nq if 'query' in name else nk
            x = new[name].reshape(n, -1, *new[name].shape[1:])
            x[:, :r] = torch.stack([x[:, :r // 2], x[:, r // 2:r]], dim=2).reshape(x[:, :r].shape)
            new[name] = x.reshape(new[name].shape)
    return new
