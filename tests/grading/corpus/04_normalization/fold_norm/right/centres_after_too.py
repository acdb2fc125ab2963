# Centres the rows after the norm, too: h has mean 0, so no result changes.
# points: 4

def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    w = after['weight'] * norm['weight']
    return nb, {'weight': w - w.mean(1, keepdim=True), 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
