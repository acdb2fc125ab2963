# What a part gave for the clean text is remembered by the part's name, for later calls with other texts and models, too.
# points: 0
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
