# Pastes the first positions of the clean run at the wanted positions, instead of the same positions.
# points: 0
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
