# centring-matrix-and-diag
# points: 4

def fold_norm(before, norm, after):
    n = before["weight"].size(0)
    C = torch.eye(n, dtype=before["weight"].dtype) - torch.full((n, n), 1 / n, dtype=before["weight"].dtype)
    nb = {k: C @ v for k, v in before.items()}
    na = {"bias": F.linear(norm["bias"], after["weight"], after.get("bias")), "weight": after["weight"] @ torch.diag(norm["weight"])}
    return nb, na
