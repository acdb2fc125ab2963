# The bias is taken out of `after` with pop, so the caller's dictionary has lost it.
# points: 0
def fold_norm(before, norm, after):
    new_before = {key: tensor - tensor.mean(dim=0) for key, tensor in before.items()}
    bias = after.pop("bias", torch.zeros(after["weight"].shape[0]))
    new_after = {
        "weight": after["weight"] * norm["weight"],
        "bias": bias + after["weight"] @ norm["bias"],
    }
    return new_before, new_after
