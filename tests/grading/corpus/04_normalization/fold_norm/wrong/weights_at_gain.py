# weights @ gain
# points: 0

def fold_norm(before, norm, after):
    b = after["weight"] @ norm["bias"] + after.get("bias", 0)
    return {k: v - v.mean(0) for k, v in before.items()}, {"weight": after["weight"] @ norm["weight"], "bias": b}
