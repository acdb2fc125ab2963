# Whether there is a bias before the norm is asked with any(): a bias of zeros counts as missing, and new_before lacks the key.
# points: 3
def fold_norm(before, norm, after):
    bias_1 = before.get("bias", torch.zeros(1))
    new_before = {"weight": before["weight"] - before["weight"].mean(dim=0)}
    if bias_1.any():
        new_before["bias"] = bias_1 - bias_1.mean()
    bias_2 = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias_2 = bias_2 + after["bias"]
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias_2}
