# hooks are removed, but not if a run fails
# points: 4

def patched_output(model, clean, corrupted, name, positions, answers):
    part = model.get_submodule(name)
    store = {}
    def save(m, i, o):
        store["x"] = (o[0] if isinstance(o, tuple) else o).clone()
    handle = part.register_forward_hook(save)
    lc = model(clean)
    handle.remove()
    lx = model(corrupted)
    def patch(m, i, o):
        first = o[0] if isinstance(o, tuple) else o
        new = first.clone()
        p = list(range(new.size(1))) if positions is None else positions
        new[:, p] = store["x"][:, p]
        return (new, *o[1:]) if isinstance(o, tuple) else new
    handle = part.register_forward_hook(patch)
    lp = model(corrupted)
    handle.remove()
    def d(l):
        a = l[:, -1].gather(1, answers)
        return a[:, 0] - a[:, 1]
    return lp, (d(lp) - d(lx)) / (d(lc) - d(lx))
