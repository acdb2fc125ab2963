# standardises columns
# points: 3

def fold_norm(before, norm, after):
    nb = {k: (v - v.mean(0)) / v.std(0) for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
