# a context manager from contextlib
# points: 5

from contextlib import contextmanager

@contextmanager
def hooked(module, fn):
    handle = module.register_forward_hook(fn)
    try:
        yield
    finally:
        handle.remove()

def patched_output(model, clean, corrupted, name, positions, answers):
    part = model.get_submodule(name)
    store = []
    with hooked(part, lambda m, i, o: store.append((o[0] if type(o) is tuple else o).clone())):
        logits_clean = model(clean)
    pos = slice(None) if positions is None else positions

    def overwrite(m, i, o):
        new = (o[0] if type(o) is tuple else o).clone()
        new[:, pos] = store[0][:, pos]
        return (new, *o[1:]) if type(o) is tuple else new

    logits_corrupted = model(corrupted)
    with hooked(part, overwrite):
        logits = model(corrupted)
    d = lambda l: (l[:, -1].gather(1, answers[:, :1]) - l[:, -1].gather(1, answers[:, 1:])).squeeze(1)
    return logits, (d(logits) - d(logits_corrupted)) / (d(logits_clean) - d(logits_corrupted))
