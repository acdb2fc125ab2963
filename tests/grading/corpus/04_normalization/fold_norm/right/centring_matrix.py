# centring matrix
# points: 4

def fold_norm(before, norm, after):
    n = norm["weight"].numel()
    C = torch.eye(n, dtype=norm["weight"].dtype) - 1 / n
    first = {k: C @ v for k, v in before.items()}
    w = after["weight"] @ torch.diag(norm["weight"])
    b = torch.einsum("oh,h->o", after["weight"], norm["bias"]) + after.get("bias", 0)
    return first, {"bias": b, "weight": w}
