# `if positions` and no tuples
# points: 4

def patched_output(model, clean, corrupted, name, positions, answers):
    part = model.get_submodule(name)
    store = {}
    def save(m, i, o):
        store["x"] = o.clone()
    def patch(m, i, o):
        o = o.clone()
        if positions:
            o[:, positions] = store["x"][:, positions]
        else:
            o = store["x"]
        return o
    def run(ids, fn):
        handle = part.register_forward_hook(fn)
        try:
            return model(ids)
        finally:
            handle.remove()
    lc, lx, lp = run(clean, save), model(corrupted), run(corrupted, patch)
    def d(l):
        a = l[:, -1].gather(1, answers)
        return a[:, 0] - a[:, 1]
    return lp, (d(lp) - d(lx)) / (d(lc) - d(lx))
