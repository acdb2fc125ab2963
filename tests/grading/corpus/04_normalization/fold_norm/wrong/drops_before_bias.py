# drops before bias
# points: 3

def fold_norm(before, norm, after):
    nb = {'weight': before['weight'] - before['weight'].mean(0)}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
