# linear
# points: 4

import copy
def fold_norm(before, norm, after):
    before, after = copy.deepcopy(before), copy.deepcopy(after)
    after['bias'] = F.linear(norm['bias'], after['weight'], after.get('bias'))
    after['weight'] *= norm['weight'][None]
    before['weight'] -= before['weight'].mean(dim=0, keepdim=True)
    if before.get('bias') is not None:
        before['bias'] -= before['bias'].mean()
    return before, after
