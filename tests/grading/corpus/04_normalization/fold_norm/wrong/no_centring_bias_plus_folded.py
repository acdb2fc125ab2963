# no centring bias + folded
# points: 0

def fold_norm(before, norm, after):
    nb = dict(before, weight=before['weight'] - before['weight'].mean(0))
    w = after['weight'] * norm['weight']
    return nb, {'weight': w, 'bias': w @ norm['bias'] + after.get('bias', 0)}
