# Takes the row means out of W_2 before it is multiplied by the gain, which changes more than a number per row.
# points: 0
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    new_before = {key: value - value.mean(dim=0) for key, value in before.items()}
    centred = after["weight"] - after["weight"].mean(dim=1, keepdim=True)
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": centred * norm["weight"], "bias": bias}
