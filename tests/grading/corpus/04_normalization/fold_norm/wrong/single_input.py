# squeeze() on the weight before the norm: with a single input it has one axis only.
# points: 3
def fold_norm(before, norm, after):
    new_before = {}
    for name, tensor in before.items():
        tensor = tensor.squeeze()
        new_before[name] = tensor - tensor.mean(0)
    bias = after["weight"] @ norm["bias"] + after.get("bias", 0)
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}
