# Hooks as context managers in an ExitStack, replacement by a loop over rows and places.
# points: 5
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
