# beta folded into before bias
# points: 0

def fold_norm(before, norm, after):
    nb = {'weight': before['weight'] - before['weight'].mean(0), 'bias': before.get('bias', 0) + norm['bias']}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after.get('bias', 0)}
