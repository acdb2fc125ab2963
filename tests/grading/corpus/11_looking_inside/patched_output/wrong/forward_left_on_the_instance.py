# Wraps the part's forward instead of a hook and "restores" it by assignment, which leaves an attribute `forward` on the instance.
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
