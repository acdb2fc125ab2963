# The norm's bias is divided by the gain and sent through the folded weight, which gives NaN or inf where a gain is 0.
# points: 0
def fold_norm(before, norm, after):
    new_before = {"weight": before["weight"] - before["weight"].mean(dim=0)}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean()
    weight = after["weight"] * norm["weight"]
    bias = weight @ (norm["bias"] / norm["weight"])
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": weight, "bias": bias}
