# input_of_part
# points: 0

def patched_output(model, clean, corrupted, name, positions, answers):
    part = model.get_submodule(name)
    store = {}
    def save(m, i, o):
        store["x"] = (o[0] if isinstance(o, tuple) else o).clone()
    def patch(m, i, o):
        new = (o[0] if isinstance(o, tuple) else o).clone()
        p = list(range(new.size(1))) if positions is None else positions
        new[:, p] = store["x"][:, p]
        return (new, *o[1:]) if isinstance(o, tuple) else new
    def run(ids, fn):
        handle = part.register_forward_pre_hook(lambda m, i: fn(m, None, i))
        try:
            return model(ids)
        finally:
            handle.remove()
    lc, lx, lp = run(clean, save), model(corrupted), run(corrupted, patch)
    def d(l):
        a = l[:, -1].gather(1, answers)
        return a[:, 0] - a[:, 1]
    return lp, (d(lp) - d(lx)) / (d(lc) - d(lx))

