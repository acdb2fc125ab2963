# transposed after
# points: 0

def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': after['weight'].T * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
