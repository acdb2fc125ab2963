# gain-folded-into-the-rows-before-the-norm
# points: 0

def fold_norm(before, norm, after):
    new_before = {}
    new_before["weight"] = before["weight"] - before["weight"].mean(dim=0, keepdim=True)
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean()
    new_before["weight"] = new_before["weight"] * norm["weight"][:, None]
    new_after = {}
    new_after["weight"] = after["weight"].clone()
    shift = after["weight"] @ norm["bias"]
    new_after["bias"] = after["bias"] + shift if "bias" in after else shift
    return new_before, new_after
