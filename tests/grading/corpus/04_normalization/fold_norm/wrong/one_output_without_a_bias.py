# squeeze() on the product: with a single output and no bias after the norm, the new bias has no axis.
# points: 3
def fold_norm(before, norm, after):
    new_before = {"weight": before["weight"] - before["weight"].mean(dim=0)}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean()
    bias = (after["weight"] @ norm["bias"].unsqueeze(1)).squeeze()
    if "bias" in after:
        bias = after["bias"] + bias
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}
