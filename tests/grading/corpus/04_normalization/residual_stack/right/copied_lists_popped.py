# copied lists popped
# points: 4

def residual_stack(x, sublayers, norms, placement):
    norms = list(norms)
    for f in sublayers:
        if placement == 'post': x = norms.pop(0)(x + f(x))
        elif placement == 'pre': x = x + f(norms.pop(0)(x))
        else: x = x + norms.pop(1)(f(norms.pop(0)(x)) ) if False else _s(x, f, norms)
    return norms.pop()(x) if norms else x
def _s(x, f, norms):
    a = norms.pop(0); b = norms.pop(0)
    return x + b(f(a(x)))
