# loops-in-float64
# points: 4

def fold_norm(before, norm, after):
    W = before["weight"].double().clone()
    for j in range(W.size(1)):
        W[:, j] -= W[:, j].sum() / W.size(0)
    nb = {"weight": W.to(before["weight"].dtype)}
    if before.get("bias") is not None:
        b = before["bias"].double()
        nb["bias"] = (b - b.sum() / b.numel()).to(before["bias"].dtype)
    V = torch.stack([after["weight"][:, j] * norm["weight"][j] for j in range(W.size(0))], 1)
    c = sum(after["weight"][:, j] * norm["bias"][j] for j in range(W.size(0)))
    if "bias" in after:
        c = after["bias"] + c
    return [nb, {"weight": V, "bias": c}]
