# D is claimed only of a head that A is true of
# points: 4
def supported_claims(table):
    head, loss = table["head"], table["loss"]
    by_mean = table["mean_ablated"] - loss[:, None]
    by_zero = table["zero_ablated"] - loss[:, None]
    by_chance = table["random"] - loss[:, None, None]
    own, zeroed, random = by_mean.mean(0), by_zero.mean(0), by_chance.mean(0)
    best = own.max()
    winners = random.amax(1)
    as_large = (random >= own[head]).float().mean()
    as_good = (winners >= best).float().mean()
    runs = by_mean[:, head]
    error = runs.std() / math.sqrt(len(runs))
    gain = runs.mean() - by_chance.mean()
    first, second = own.argmax() == head, zeroed.argmax() == head
    learned = (table["probe"] > table["untrained"]).all()
    meant = (table["probe"] > table["random_labels"]).all()
    supported = {
        "A": as_large < 0.05,
        "B": as_good < 0.05,
        "C": gain > 2 * error,
        "D": as_large < 0.05 and first and second,
        "E": learned and meant,
    }
    return [letter for letter, yes in supported.items() if yes]
