# Asks whether an effect is above the 95 % quantile, in place of counting.
# points: 5
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
