# %% context_manager | points 5 | a context manager from contextlib
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

# %% exit_stack | points 5 | Hooks as context managers in an ExitStack, replacement by a loop over rows and places.
def patched_output(model, clean, corrupted, name, positions, answers):
    from contextlib import ExitStack, contextmanager

    @contextmanager
    def hooked(function):
        def hook(module, inputs, output):
            if isinstance(output, tuple):
                return (function(output[0]), *output[1:])
            return function(output)

        handle = model.get_submodule(name).register_forward_hook(hook)
        try:
            yield
        finally:
            handle.remove()

    memory = []

    def remember(x):
        memory.append(torch.clone(x))
        return x

    def replace(x):
        columns = list(x.unbind(1))
        for place in range(len(columns)) if positions is None else positions:
            columns[place] = memory[0][:, place]
        return torch.stack(columns, dim=1)

    with torch.no_grad(), ExitStack() as stack:
        stack.enter_context(hooked(remember))
        first = model(clean)
    with torch.no_grad():
        second = model(corrupted)
        with hooked(replace):
            third = model(corrupted)

    d = []
    for logits in (first, second, third):
        d.append(torch.stack([row[a] - row[b] for row, (a, b) in zip(logits[:, -1], answers.tolist())]))
    return third, (d[2] - d[1]) / (d[0] - d[1])

# %% log_softmax | points 5 | log_softmax in place of logits, in one table.
def patched_output(model, clean, corrupted, name, positions, answers):
    part = model.get_submodule(name)
    kept = []

    def first(output):
        return output[0] if isinstance(output, tuple) else output

    def replace(module, inputs, output):
        new = first(output).clone()
        places = list(range(new.size(1))) if positions is None else positions
        new[:, places] = kept[0][:, places]
        return (new, *output[1:]) if isinstance(output, tuple) else new

    def run(ids, hook):
        handle = part.register_forward_hook(hook)
        try:
            return model(ids)
        finally:
            handle.remove()

    runs = [run(clean, lambda m, i, o: kept.append(first(o).clone()) or None), model(corrupted)]
    runs.append(run(corrupted, replace))
    d = [-run[:, -1].log_softmax(-1).gather(1, answers).diff(dim=1)[:, 0] for run in runs]
    return runs[2], (d[2] - d[1]) / (d[0] - d[1])

# %% no_grad_and_handles | points 5 | two handles in try, no_grad, index lists
def patched_output(model, clean, corrupted, name, positions, answers):
    module = dict(model.named_modules())[name]
    cache = {}

    def save(mod, inp, out):
        cache["v"] = (out[0] if isinstance(out, tuple) else out).detach().clone()

    def put(mod, inp, out):
        x = out[0] if isinstance(out, tuple) else out
        x = x.clone()
        if positions is None:
            x[:] = cache["v"]
        elif len(positions) > 0:
            x[:, positions, :] = cache["v"][:, positions, :]
        if isinstance(out, tuple):
            return (x,) + out[1:]
        return x

    with torch.no_grad():
        base = model(corrupted)
        h = module.register_forward_hook(save)
        try:
            good = model(clean)
        finally:
            h.remove()
        h = module.register_forward_hook(put)
        try:
            patched = model(corrupted)
        finally:
            h.remove()

    def diff(logits):
        last = logits[:, -1, :]
        rows = torch.arange(last.size(0))
        return last[rows, answers[:, 0]] - last[rows, answers[:, 1]]

    return patched, (diff(patched) - diff(base)) / (diff(good) - diff(base))
