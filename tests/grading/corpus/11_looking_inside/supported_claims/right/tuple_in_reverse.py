# a tuple in another order, bool tensors
# points: 5

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
