# no bias key when none
# points: 3

def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    na = {'weight': after['weight'] * norm['weight']}
    if 'bias' in after: na['bias'] = after['bias'] + after['weight'] @ norm['bias']
    return nb, na
