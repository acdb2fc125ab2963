# two handles in try, no_grad, index lists
# points: 5

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
