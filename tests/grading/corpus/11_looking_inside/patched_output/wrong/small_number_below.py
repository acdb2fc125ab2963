# Adds 1e-5 to what is divided by.
# points: 4


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
