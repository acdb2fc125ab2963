# Takes the positions as counted from the end of the text.
# points: 0
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
