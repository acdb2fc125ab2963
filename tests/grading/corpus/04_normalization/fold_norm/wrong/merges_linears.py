# merges linears
# points: 0

def fold_norm(before, norm, after):
    w = after['weight'] * norm['weight']
    return {'weight': w @ before['weight']}, {'weight': w, 'bias': after['weight'] @ norm['bias']}
