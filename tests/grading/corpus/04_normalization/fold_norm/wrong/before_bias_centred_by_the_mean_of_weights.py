# before-bias-centred-by-the-mean-of-weights
# points: 3

def fold_norm(before, norm, after):
    new_before = {}
    new_before["weight"] = before["weight"] - before["weight"].mean(dim=0, keepdim=True)
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["weight"].mean()
    new_after = {}
    new_after["weight"] = after["weight"] * norm["weight"]
    shift = after["weight"] @ norm["bias"]
    new_after["bias"] = after["bias"] + shift if "bias" in after else shift
    return new_before, new_after
