# no shift, no centring
# points: 0

def fold_norm(before, norm, after):
    return before, {**after, 'weight': after['weight'] * norm['weight']}
