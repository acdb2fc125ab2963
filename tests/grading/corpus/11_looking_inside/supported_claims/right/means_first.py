# Means over the seeds first, the mean loss subtracted afterwards; the searches sorted.
# points: 5
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
