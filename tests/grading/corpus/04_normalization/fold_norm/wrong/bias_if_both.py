# The bias of the layer after is lost where the layer before has none.
# points: 3
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    b = after["weight"] @ norm["bias"]
    if "bias" in before and "bias" in after:
        b = b + after["bias"]
    return nb, {"weight": after["weight"] * norm["weight"], "bias": b}

