# The first bias loses its sum divided by the number of inputs, not by the number of hidden numbers.
# points: 3
def fold_norm(before, norm, after):
    hidden, inputs = before["weight"].shape
    new_before = {"weight": before["weight"] - before["weight"].sum(dim=0) / hidden}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].sum() / inputs
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}
