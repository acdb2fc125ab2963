# Takes the means along the last axis that is as long as the hidden size: the wrong one if there are as many inputs.
# points: 3
def fold_norm(before, norm, after):
    hidden = norm["weight"].numel()
    def centred(t):
        axis = [i for i, n in enumerate(t.shape) if n == hidden][-1]
        return t - t.mean(axis, keepdim=True)
    new_before = {name: centred(tensor) for name, tensor in before.items()}
    bias = after["weight"] @ norm["bias"] + after.get("bias", 0)
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}
