# only returns after
# points: 0

def fold_norm(before, norm, after):
    return {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
