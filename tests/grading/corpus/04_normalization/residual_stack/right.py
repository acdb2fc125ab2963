# %% copied_lists_popped | points 4 | copied lists popped
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

# %% index_of_the_sublayer | points 4 | Finds a layer's number by sublayers.index(...): no sublayer stands in the list twice.
def residual_stack(x, sublayers, norms, placement):
    for sublayer in sublayers:
        i = sublayers.index(sublayer)
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)

# %% iterator_of_norms | points 4 | iterator of norms
def residual_stack(x, sublayers, norms, placement):
    n = iter(norms)
    for f in sublayers:
        if placement == "post":
            x = next(n)(f(x) + x)
        elif placement == "pre":
            x = f(next(n)(x)) + x
        elif placement == "sandwich":
            y = f(next(n)(x))
            x = next(n)(y) + x
    for last in n:
        x = last(x)
    return x

# %% iterators | points 4 | iterators
def residual_stack(x, sublayers, norms, placement):
    it = iter(norms)
    for f in sublayers:
        if placement == "post":
            x = next(it)(torch.add(x, f(x)))
        else:
            y = f(next(it)(x))
            if placement == "sandwich":
                y = next(it)(y)
            x = x + y
    for last in it:
        x = last(x)
    return x

# %% match | points 4 | match
def residual_stack(x, sublayers, norms, placement):
    it = iter(norms)
    for f in sublayers:
        match placement:
            case 'post': x = next(it)(f(x) + x)
            case 'pre': x = f(next(it)(x)) + x
            case 'sandwich':
                a, b = next(it), next(it)
                x = b(f(a(x))) + x
    for n in it: x = n(x)
    return x

# %% recursion | points 4 | recursion
def residual_stack(x, sublayers, norms, placement):
    if not sublayers:
        return x if placement == "post" else norms[0](x)
    f, *rest = sublayers
    if placement == "post":
        return residual_stack(norms[0](x + f(x)), rest, norms[1:], placement)
    if placement == "pre":
        return residual_stack(x + f(norms[0](x)), rest, norms[1:], placement)
    return residual_stack(x + norms[1](f(norms[0](x))), rest, norms[2:], placement)

# %% recursion_again | points 4 | recursion-again
def residual_stack(x, sublayers, norms, placement):
    if not sublayers:
        return x if placement == "post" else norms[0](x)
    f, rest = sublayers[0], sublayers[1:]
    match placement:
        case "post":
            return residual_stack(norms[0](x + f(x)), rest, norms[1:], placement)
        case "pre":
            return residual_stack(x + f(norms[0](x)), rest, norms[1:], placement)
        case "sandwich":
            return residual_stack(x + norms[1](f(norms[0](x))), rest, norms[2:], placement)

# %% reduce | points 4 | reduce
from functools import reduce
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    if placement == 'post':
        return reduce(lambda h, p: p[1](h + p[0](h)), zip(sublayers, norms), x)
    if placement == 'pre':
        return norms[n](reduce(lambda h, p: h + p[0](p[1](h)), zip(sublayers, norms), x))
    pairs = zip(sublayers, norms[0:2*n:2], norms[1:2*n:2])
    return norms[2*n](reduce(lambda h, p: h + p[2](p[0](p[1](h))), pairs, x))
