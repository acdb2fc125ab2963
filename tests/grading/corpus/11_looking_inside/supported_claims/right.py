# %% means_first | points 5 | Means over the seeds first, the mean loss subtracted afterwards; the searches sorted.
def supported_claims(table):
    h, whole = table["head"], table["loss"].mean()
    own = table["mean_ablated"].mean(0) - whole
    zero = table["zero_ablated"].mean(0) - whole
    chance = torch.sort(table["random"].mean(0) - whole, dim=1).values
    runs = table["mean_ablated"].select(1, h) - table["loss"]
    control = torch.stack([table["untrained"], table["random_labels"]]).amax(0)
    tests = [
        20 * int((chance >= own[h]).sum()) < chance.numel(),
        20 * int((chance[:, -1] >= own.amax()).sum()) < chance.size(0),
        (runs.mean() - chance.mean()) ** 2 > 4 * runs.var() / runs.numel() and runs.mean() > chance.mean(),
        own.topk(1).indices.item() == h == zero.topk(1).indices.item(),
        (table["probe"] - control).amin() > 0,
    ]
    return [letter for letter, true in zip("ABCDE", tests) if true]

# %% quantile | points 5 | Asks whether an effect is above the 95 % quantile, in place of counting.
def supported_claims(table: dict) -> list[str]:
    """The letters of the claims, A to E, that the numbers of a table support."""
    head, loss = table["head"], table["loss"]
    by_mean = table["mean_ablated"] - loss[:, None]
    by_zero = table["zero_ablated"] - loss[:, None]
    by_chance = table["random"] - loss[:, None, None]
    own, random = by_mean.mean(dim=0), by_chance.mean(dim=0)  # [heads], [searches, heads]
    runs = by_mean[:, head]  # one effect for each seed
    supported = {
        "A": own[head] > torch.quantile(random, 0.95),
        "B": own.max() > torch.quantile(random.amax(dim=1), 0.95),
        "C": runs.mean() - random.mean() > 2 * runs.std() / math.sqrt(len(runs)),
        "D": own.argmax() == head and by_zero.mean(dim=0).argmax() == head,
        "E": (table["probe"] > torch.maximum(table["untrained"], table["random_labels"])).all(),
    }
    return [letter for letter, yes in supported.items() if yes]

# %% step_by_step | points 5 | step by step, append
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

# %% tuple_in_reverse | points 5 | a tuple in another order, bool tensors
def supported_claims(table):
    base = table["loss"]
    effect = lambda t: (t - base.reshape([-1] + [1] * (t.dim() - 1)))
    own, zero, rand = (effect(table[k]) for k in ("mean_ablated", "zero_ablated", "random"))
    k = table["head"]
    yes = {}
    yes["E"] = torch.logical_and(table["probe"] > table["untrained"], table["probe"] > table["random_labels"]).all()
    yes["D"] = torch.stack([own.mean(0).argmax(), zero.mean(0).argmax()]).eq(k).all()
    yes["C"] = (own[:, k].mean() - rand.mean()) / (own[:, k].std() / math.sqrt(own.shape[0])) > 2
    yes["B"] = torch.mean((rand.mean(0).max(-1)[0] >= own.mean(0).max()).double()) < 0.05
    yes["A"] = torch.mean((rand.mean(0).flatten() >= own.mean(0)[k]).double()) < 0.05
    return tuple(c for c in yes if yes[c])
