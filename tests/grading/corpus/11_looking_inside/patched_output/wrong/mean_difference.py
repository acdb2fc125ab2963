# Divides by the mean difference of the batch, not by that of each row.
# points: 4
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
