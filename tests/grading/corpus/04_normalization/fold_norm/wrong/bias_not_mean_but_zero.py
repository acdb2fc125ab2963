# bias not mean but zero
# points: 3

def fold_norm(before, norm, after):
    nb = {'weight': before['weight'] - before['weight'].mean(0)}
    if 'bias' in before: nb['bias'] = torch.zeros_like(before['bias'])
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
