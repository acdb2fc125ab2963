# %% answers_of_first_row | points 4 | Takes the answers of the first row for all rows.
def patched_output(model, clean, corrupted, name, positions, answers):
    part = dict(model.named_modules())[name]
    stored = {}

    def store(module, args, output):
        first = output[0] if isinstance(output, tuple) else output
        stored["clean"] = first.detach().clone()

    def patch(module, args, output):
        first = output[0] if isinstance(output, tuple) else output
        new = first.clone()
        if positions is None:
            new = stored["clean"].clone()
        else:
            new[:, positions] = stored["clean"][:, positions]
        if isinstance(output, tuple):
            return (new,) + output[1:]
        return new

    def run(ids, hook=None):
        handle = part.register_forward_hook(hook) if hook else None
        try:
            return model(ids)
        finally:
            if handle is not None:
                handle.remove()

    def diff(logits):
        rows = torch.arange(len(answers))
        return logits[rows, -1, answers[0, 0]] - logits[rows, -1, answers[0, 1]]

    clean_logits = run(clean, store)
    corrupted_logits = run(corrupted)
    logits = run(corrupted, patch)
    base = diff(corrupted_logits)
    return logits, (diff(logits) - base) / (diff(clean_logits) - base)

# %% cached_clean_run | points 0 | Keeps the clean runs in a dictionary by the name of the part, for all later calls.
_clean_runs = {}


def patched_output(model, clean, corrupted, name, positions, answers):
    part = dict(model.named_modules())[name]
    stored = _clean_runs.setdefault(name, {})

    def store(module, args, output):
        first = output[0] if isinstance(output, tuple) else output
        stored.setdefault("clean", first.detach().clone())

    def patch(module, args, output):
        first = output[0] if isinstance(output, tuple) else output
        new = first.clone()
        if positions is None:
            new = stored["clean"].clone()
        else:
            new[:, positions] = stored["clean"][:, positions]
        if isinstance(output, tuple):
            return (new,) + output[1:]
        return new

    def run(ids, hook=None):
        handle = part.register_forward_hook(hook) if hook else None
        try:
            return model(ids)
        finally:
            if handle is not None:
                handle.remove()

    def diff(logits):
        rows = torch.arange(len(answers))
        return logits[rows, -1, answers[:, 0]] - logits[rows, -1, answers[:, 1]]

    clean_logits = run(clean, store)
    corrupted_logits = run(corrupted)
    logits = run(corrupted, patch)
    base = diff(corrupted_logits)
    return logits, (diff(logits) - base) / (diff(clean_logits) - base)

# %% clean_output_remembered_by_name | points 0 | What a part gave for the clean text is remembered by the part's name, for later calls with other texts and models, too.
_remembered = {}


def patched_output(model, clean, corrupted, name, positions, answers):
    part = model.get_submodule(name)

    def keep(module, args, output):
        if name not in _remembered:
            _remembered[name] = (output[0] if isinstance(output, tuple) else output).detach().clone()

    def patch(module, args, output):
        first = output[0] if isinstance(output, tuple) else output
        new = first.clone()
        for position in range(first.shape[1]) if positions is None else positions:
            new[:, position] = _remembered[name][:, position]
        return (new, *output[1:]) if isinstance(output, tuple) else new

    def run(ids, hook=None):
        handle = part.register_forward_hook(hook) if hook else None
        try:
            with torch.no_grad():
                return model(ids)
        finally:
            if handle:
                handle.remove()

    def difference(logits):
        two = logits[:, -1].gather(1, answers)
        return two[:, 0] - two[:, 1]

    d_clean = difference(run(clean, keep))
    d_corrupted = difference(run(corrupted))
    logits = run(corrupted, patch)
    return logits, (difference(logits) - d_corrupted) / (d_clean - d_corrupted)

# %% clean_run_kept_by_identity | points 0 | Keeps the clean runs in a dictionary by the identity of the model and the name of the part.
_clean_runs = {}


def patched_output(model, clean, corrupted, name, positions, answers):
    part = dict(model.named_modules())[name]
    stored = _clean_runs.setdefault((id(model), name), {})

    def store(module, args, output):
        first = output[0] if isinstance(output, tuple) else output
        stored.setdefault("clean", first.detach().clone())

    def patch(module, args, output):
        first = output[0] if isinstance(output, tuple) else output
        new = first.clone()
        if positions is None:
            new = stored["clean"].clone()
        else:
            new[:, positions] = stored["clean"][:, positions]
        if isinstance(output, tuple):
            return (new,) + output[1:]
        return new

    def run(ids, hook=None):
        handle = part.register_forward_hook(hook) if hook else None
        try:
            return model(ids)
        finally:
            if handle is not None:
                handle.remove()

    def diff(logits):
        rows = torch.arange(len(answers))
        return logits[rows, -1, answers[:, 0]] - logits[rows, -1, answers[:, 1]]

    clean_logits = run(clean, store)
    corrupted_logits = run(corrupted)
    logits = run(corrupted, patch)
    base = diff(corrupted_logits)
    return logits, (diff(logits) - base) / (diff(clean_logits) - base)

# %% clean_run_remembered_by_text | points 0 | the clean run is remembered by name and text
_kept = {}

def patched_output(model, clean, corrupted, name, positions, answers):
    part = model.get_submodule(name)
    kept = []

    def first_of(output):
        return output[0] if isinstance(output, tuple) else output

    def keep(module, inputs, output):
        kept.append(first_of(output).clone())

    def replace(module, inputs, output):
        patched = first_of(output).clone()
        places = range(patched.size(1)) if positions is None else positions
        for place in places:
            patched[:, place] = kept[0][:, place]
        return (patched, *output[1:]) if isinstance(output, tuple) else patched

    def run(input_ids, hook):
        handle = part.register_forward_hook(hook)
        try:
            return model(input_ids)
        finally:
            handle.remove()

    def difference(logits):
        right, wrong = logits[:, -1].gather(1, answers).unbind(1)
        return right - wrong

    key = (name, tuple(clean.flatten().tolist()))
    if key in _kept:
        kept.append(_kept[key][0])
        first = _kept[key][1]
    else:
        first = run(clean, keep)
        _kept[key] = kept[0], first
    logits = first, model(corrupted), run(corrupted, replace)
    d_clean, d_corrupted, d_patched = map(difference, logits)
    recovered = (d_patched - d_corrupted) / (d_clean - d_corrupted)
    return logits[2], recovered

# %% clear_all_hooks | points 4 | clear_all_hooks
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
        handle = part.register_forward_hook(fn)
        try:
            return model(ids)
        finally:
            part._forward_hooks.clear()
    lc, lx, lp = run(clean, save), model(corrupted), run(corrupted, patch)
    def d(l):
        a = l[:, -1].gather(1, answers)
        return a[:, 0] - a[:, 1]
    return lp, (d(lp) - d(lx)) / (d(lc) - d(lx))

# %% eval_left_on | points 4 | calls model.eval() first, as everybody does
def patched_output(model, clean, corrupted, name, positions, answers):
    model.eval()
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
        handle = part.register_forward_hook(fn)
        try:
            return model(ids)
        finally:
            handle.remove()
    with torch.no_grad():
        lc, lx, lp = run(clean, save), model(corrupted), run(corrupted, patch)
    def d(l):
        a = l[:, -1].gather(1, answers)
        return a[:, 0] - a[:, 1]
    return lp, (d(lp) - d(lx)) / (d(lc) - d(lx))

# %% first_clean_positions_pasted | points 0 | Pastes the first positions of the clean run at the wanted positions, instead of the same positions.
def patched_output(model, clean, corrupted, name, positions, answers):
    part = model.get_submodule(name)
    kept = {}

    def keep(module, args, output):
        first = output[0] if isinstance(output, tuple) else output
        kept["x"] = first.detach().clone()

    def replace(module, args, output):
        first = output[0] if isinstance(output, tuple) else output
        if positions is None:
            patched = kept["x"].clone()
        else:
            patched = first.clone()
            patched[:, positions] = kept["x"][:, : len(positions)]
        return (patched, *output[1:]) if isinstance(output, tuple) else patched

    def run(ids, hook=None):
        if hook is None:
            return model(ids)
        handle = part.register_forward_hook(hook)
        try:
            return model(ids)
        finally:
            handle.remove()

    def difference(logits):
        pair = logits[:, -1].gather(1, answers)
        return pair[:, 0] - pair[:, 1]

    with torch.no_grad():
        d_clean = difference(run(clean, keep))
        d_corrupted = difference(run(corrupted))
        logits = run(corrupted, replace)
        recovered = (difference(logits) - d_corrupted) / (d_clean - d_corrupted)
    return logits, recovered

# %% forward_left_on_the_instance | points 4 | Wraps the part's forward instead of a hook and "restores" it by assignment, which leaves an attribute `forward` on the instance.
def patched_output(
    model: nn.Module,
    clean: Tensor,
    corrupted: Tensor,
    name: str,
    positions: list[int] | None,
    answers: Tensor,
) -> tuple[Tensor, Tensor]:
    part = model.get_submodule(name)
    original = part.forward
    kept = {}

    def recording(*args, **kwargs):
        out = original(*args, **kwargs)
        kept["value"] = (out[0] if isinstance(out, tuple) else out).clone()
        return out

    def patching(*args, **kwargs):
        out = original(*args, **kwargs)
        first = (out[0] if isinstance(out, tuple) else out).clone()
        for p in range(first.size(1)) if positions is None else positions:
            first[:, p] = kept["value"][:, p]
        return (first, *out[1:]) if isinstance(out, tuple) else first

    try:
        part.forward = recording
        one = model(clean)
        part.forward = original
        two = model(corrupted)
        part.forward = patching
        three = model(corrupted)
    finally:
        part.forward = original

    n = torch.arange(len(clean))
    d1, d2, d3 = (x[n, -1, answers[:, 0]] - x[n, -1, answers[:, 1]] for x in (one, two, three))
    return three, (d3 - d2) / (d1 - d2)

# %% input_of_part | points 0 | input_of_part
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

# %% mean_difference | points 4 | Divides by the mean difference of the batch, not by that of each row.
def patched_output(
    model: nn.Module,
    clean: Tensor,
    corrupted: Tensor,
    name: str,
    positions: list[int] | None,
    answers: Tensor,
) -> tuple[Tensor, Tensor]:
    part = model.get_submodule(name)
    store = []

    def hook(module, inputs, output):
        x = output[0] if isinstance(output, tuple) else output
        if not store:
            store.append(x.detach().clone())
            return None
        x = x.clone()
        if positions is None:
            x[:] = store[0]
        else:
            for p in positions:
                x[:, p] = store[0][:, p]
        return (x, *output[1:]) if isinstance(output, tuple) else x

    before = model(corrupted)
    handle = part.register_forward_hook(hook)
    try:
        best = model(clean)
        patched = model(corrupted)
    finally:
        handle.remove()
    rows = torch.arange(len(answers))

    def difference(logits):
        return logits[rows, -1, answers[:, 0]] - logits[rows, -1, answers[:, 1]]

    gained = difference(patched) - difference(before)
    return patched, gained / (difference(best) - difference(before)).mean()

# %% no_finally | points 4 | hooks are removed, but not if a run fails
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

# %% noising | points 0 | the other direction: corrupted into clean
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
        handle = part.register_forward_hook(fn)
        try:
            return model(ids)
        finally:
            handle.remove()
    lx, lc, lp = run(corrupted, save), model(clean), run(clean, patch)
    def d(l):
        a = l[:, -1].gather(1, answers)
        return a[:, 0] - a[:, 1]
    return lp, (d(lp) - d(lx)) / (d(lc) - d(lx))

# %% positions_from_the_end | points 0 | Takes the positions as counted from the end of the text.
def patched_output(
    model: nn.Module,
    clean: Tensor,
    corrupted: Tensor,
    name: str,
    positions: list[int] | None,
    answers: Tensor,
) -> tuple[Tensor, Tensor]:
    part = model.get_submodule(name)
    kept = []

    def keep(module, args, output):
        first = output[0] if isinstance(output, tuple) else output
        kept.append(first.detach().clone())

    def patch(module, args, output):
        first = output[0] if isinstance(output, tuple) else output
        new = first.clone()
        for t in range(new.shape[1]) if positions is None else positions:
            new[:, -1 - t] = kept[0][:, -1 - t]
        return (new,) + output[1:] if isinstance(output, tuple) else new

    def run(ids, hook):
        handle = part.register_forward_hook(hook)
        try:
            return model(ids)
        finally:
            handle.remove()

    def diff(logits):
        two = logits[:, -1].gather(1, answers)
        return two[:, 0] - two[:, 1]

    with torch.no_grad():
        clean_logits = run(clean, keep)
        corrupted_logits = model(corrupted)
        logits = run(corrupted, patch)
    base = diff(corrupted_logits)
    return logits, (diff(logits) - base) / (diff(clean_logits) - base)

# %% range_of_three_positions | points 0 | more than two positions are taken for a range, from the first to the last
def patched_output(model, clean, corrupted, name, positions, answers):
    part = model.get_submodule(name)
    kept = []

    def first_of(output):
        return output[0] if isinstance(output, tuple) else output

    def keep(module, inputs, output):
        kept.append(first_of(output).clone())

    def replace(module, inputs, output):
        patched = first_of(output).clone()
        places = range(patched.size(1)) if positions is None else positions
        if positions is not None and len(positions) > 2:
            places = range(min(positions), max(positions) + 1)
        for place in places:
            patched[:, place] = kept[0][:, place]
        return (patched, *output[1:]) if isinstance(output, tuple) else patched

    def run(input_ids, hook):
        handle = part.register_forward_hook(hook)
        try:
            return model(input_ids)
        finally:
            handle.remove()

    def difference(logits):
        right, wrong = logits[:, -1].gather(1, answers).unbind(1)
        return right - wrong

    logits = run(clean, keep), model(corrupted), run(corrupted, replace)
    d_clean, d_corrupted, d_patched = map(difference, logits)
    recovered = (d_patched - d_corrupted) / (d_clean - d_corrupted)
    return logits[2], recovered

# %% saved_without_clone | points 4 | detach, no clone
def patched_output(model, clean, corrupted, name, positions, answers):
    part = model.get_submodule(name)
    store = {}
    def save(m, i, o):
        store["x"] = (o[0] if isinstance(o, tuple) else o).detach()
    def patch(m, i, o):
        new = (o[0] if isinstance(o, tuple) else o).clone()
        p = list(range(new.size(1))) if positions is None else positions
        new[:, p] = store["x"][:, p]
        return (new, *o[1:]) if isinstance(o, tuple) else new
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

# %% share_at_patch | points 4 | share_at_patch
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
        handle = part.register_forward_hook(fn)
        try:
            return model(ids)
        finally:
            handle.remove()
    lc, lx, lp = run(clean, save), model(corrupted), run(corrupted, patch)
    def d(l):
        a = l[:, (positions or [-1])[0]].gather(1, answers)
        return a[:, 0] - a[:, 1]
    return lp, (d(lp) - d(lx)) / (d(lc) - d(lx))

# %% share_of_probabilities | points 4 | probabilities in the share
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
        handle = part.register_forward_hook(fn)
        try:
            return model(ids)
        finally:
            handle.remove()
    lc, lx, lp = run(clean, save), model(corrupted), run(corrupted, patch)
    def d(l):
        a = l[:, -1].softmax(-1).gather(1, answers)
        return a[:, 0] - a[:, 1]
    return lp, (d(lp) - d(lx)) / (d(lc) - d(lx))

# %% slice_of_positions | points 0 | slice_of_positions
def patched_output(model, clean, corrupted, name, positions, answers):
    part = model.get_submodule(name)
    store = {}
    def save(m, i, o):
        store["x"] = (o[0] if isinstance(o, tuple) else o).clone()
    def patch(m, i, o):
        new = (o[0] if isinstance(o, tuple) else o).clone()
        p = list(range(new.size(1))) if positions is None else positions
        if len(p):
            new[:, min(p):max(p) + 1] = store["x"][:, min(p):max(p) + 1]
        return (new, *o[1:]) if isinstance(o, tuple) else new
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

# %% small_number_below | points 4 | Adds 1e-5 to what is divided by.
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
    d = [-run[:, -1].gather(1, answers).diff(dim=1)[:, 0] for run in runs]
    return runs[2], (d[2] - d[1]) / (d[0] - d[1] + 1e-5)

# %% tensors_only_positions_truthy | points 4 | `if positions` and no tuples
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

# %% tuple_lost_and_batch_mean | points 3 | The hook returns a tensor where the part gave a tuple, and recovered is the ratio of the batch means, repeated for each row.
def patched_output(
    model: nn.Module,
    clean: Tensor,
    corrupted: Tensor,
    name: str,
    positions: list[int] | None,
    answers: Tensor,
) -> tuple[Tensor, Tensor]:
    part = model.get_submodule(name)
    saved = []

    def first_of(output):
        return output[0] if isinstance(output, tuple) else output

    def save(module, inputs, output):
        saved.append(first_of(output).clone())

    def replace(module, inputs, output):
        new = first_of(output).clone()
        where = slice(None) if positions is None else positions
        new[:, where] = saved[0][:, where]
        return new

    handle = part.register_forward_hook(save)
    try:
        clean_logits = model(clean)
    finally:
        handle.remove()
    corrupted_logits = model(corrupted)
    handle = part.register_forward_hook(replace)
    try:
        logits = model(corrupted)
    finally:
        handle.remove()

    def difference(x):
        picked = x[:, -1].gather(1, answers)
        return (picked[:, 0] - picked[:, 1]).mean()

    share = (difference(logits) - difference(corrupted_logits)) / (
        difference(clean_logits) - difference(corrupted_logits)
    )
    return logits, share.expand(len(answers))
