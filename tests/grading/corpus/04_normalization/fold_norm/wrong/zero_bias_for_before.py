# zero bias for before
# points: 3

def fold_norm(before, norm, after):
    b = before.get('bias', torch.zeros(len(before['weight'])))
    return {'weight': before['weight'] - before['weight'].mean(0), 'bias': b - b.mean()}, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
