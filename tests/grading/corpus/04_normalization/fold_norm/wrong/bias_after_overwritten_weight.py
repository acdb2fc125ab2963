# bias after overwritten weight
# points: 0

def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    na = dict(after)
    na['weight'] = na['weight'] * norm['weight']
    na['bias'] = na.get('bias', 0) + na['weight'] @ norm['bias']
    return nb, na
