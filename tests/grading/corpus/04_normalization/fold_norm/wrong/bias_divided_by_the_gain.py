# The norm's bias is divided by the gain before it goes through the new weight, which gives NaN where the gain is 0.
# points: 0
def fold_norm(before, norm, after):
    new_before = {name: tensor - tensor.mean(dim=0, keepdim=True) for name, tensor in before.items()}
    weight = after["weight"] * norm["weight"]
    bias = weight @ (norm["bias"] / norm["weight"])
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": weight, "bias": bias}
