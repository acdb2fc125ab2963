# step by step, append
# points: 5

def supported_claims(table):
    claims = []
    h = table["head"]
    loss = table["loss"]
    eff_mean = table["mean_ablated"] - loss.unsqueeze(1)
    eff_zero = table["zero_ablated"] - loss.unsqueeze(1)
    eff_rand = table["random"] - loss.view(-1, 1, 1)
    m = eff_mean.mean(0)
    r = eff_rand.mean(0)
    if (r >= m[h]).sum().item() / r.numel() < 0.05:
        claims.append("A")
    best = m.max()
    if (r.max(dim=1).values >= best).sum().item() / r.shape[0] < 0.05:
        claims.append("B")
    e = eff_mean[:, h]
    n = e.shape[0]
    if (e.mean() - eff_rand.mean()) > 2 * e.std(unbiased=True) / n ** 0.5:
        claims.append("C")
    z = eff_zero.mean(0)
    if m[h] >= m.max() and z[h] >= z.max():
        claims.append("D")
    if all(p > u and p > q for p, u, q in zip(table["probe"], table["untrained"], table["random_labels"])):
        claims.append("E")
    return claims
