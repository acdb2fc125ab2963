# mean over dim 1
# points: 3

def fold_norm(before, norm, after):
    nb = {'weight': before['weight'] - before['weight'].mean(1, keepdim=True)}
    if 'bias' in before: nb['bias'] = before['bias'] - before['bias'].mean()
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
