# before untouched
# points: 3

def fold_norm(before, norm, after):
    return before, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
