# The hook returns a tensor where the part gave a tuple, and recovered is the ratio of the batch means, repeated for each row.
# points: 3
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
