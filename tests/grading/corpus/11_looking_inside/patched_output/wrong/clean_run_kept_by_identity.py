# Keeps the clean runs in a dictionary by the identity of the model and the name of the part.
# points: 0
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
