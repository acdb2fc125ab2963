# state dicts
# points: 4

from collections import OrderedDict
def fold_norm(before, norm, after):
    g, s = norm.values()
    nb = OrderedDict((k, v - v.sum(0) / v.shape[0]) for k, v in before.items())
    na = OrderedDict(weight=nn.Parameter(g * after['weight']), bias=nn.Parameter((after['weight'] * s).sum(1) + (after['bias'] if 'bias' in after else 0)))
    return [nb, na]
