# Takes the means out of the second weight's rows first and then uses these for the bias of the norm, whose mean is not 0.
# points: 0
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    new_before = {name: tensor - tensor.mean(dim=0) for name, tensor in before.items()}
    rows = after["weight"] - after["weight"].mean(dim=1, keepdim=True)
    bias = rows @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}
