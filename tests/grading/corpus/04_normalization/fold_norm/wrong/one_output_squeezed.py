# squeeze() on the new weight: with a single output it has one axis only.
# points: 0
def fold_norm(before, norm, after):
    new_before = {"weight": before["weight"] - before["weight"].mean(dim=0)}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean()
    weight = (after["weight"] @ norm["weight"].diag()).squeeze()
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = after["bias"] + bias
    return new_before, {"weight": weight, "bias": bias}
