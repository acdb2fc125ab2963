# no mean in before bias
# points: 3

def fold_norm(before, norm, after):
    nb = dict(before)
    nb['weight'] = before['weight'] - before['weight'].mean(0)
    b = after['weight'] @ norm['bias'] + after.get('bias', 0)
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': b}
