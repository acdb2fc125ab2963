# through linear layers
# points: 4

def fold_norm(before, norm, after):
    new_before = dict(before)
    for k in new_before:
        new_before[k] = before[k] - before[k].sum(0, keepdim=True) / before[k].shape[0]
    b = F.linear(norm["bias"], after["weight"], after.get("bias"))
    return new_before, dict(weight=torch.stack([row * norm["weight"] for row in after["weight"]]), bias=b)
