# diag on wrong side
# points: 0

def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': torch.diag(norm['weight']) @ after['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
