# gain in before, not after
# points: 0

def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    nb['weight'] = nb['weight'] * norm['weight'][:, None]
    return nb, {'weight': after['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
