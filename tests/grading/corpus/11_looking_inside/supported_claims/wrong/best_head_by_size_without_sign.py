# Looks for the best head by the size of its effect without the sign, so that a very negative one wins.
# points: 4
def supported_claims(table):
    loss, head = table["loss"], table["head"]
    mean_effects = table["mean_ablated"] - loss[:, None]
    zero_effects = table["zero_ablated"] - loss[:, None]
    random = table["random"] - loss[:, None, None]
    own = mean_effects[:, head]
    average = mean_effects.mean(dim=0)
    control = random.mean(dim=0)
    claims = []
    if (control >= average[head]).float().mean() < 0.05:
        claims.append("A")
    best = average[average.abs().argmax()]
    winners = control.amax(dim=1)
    if (winners >= best).float().mean() < 0.05:
        claims.append("B")
    error = own.std(correction=1) / math.sqrt(len(own))
    if own.mean() > random.mean() + 2 * error:
        claims.append("C")
    if average.argmax() == head and zero_effects.mean(dim=0).argmax() == head:
        claims.append("D")
    if (table["probe"] > table["untrained"]).all() and (table["probe"] > table["random_labels"]).all():
        claims.append("E")
    return claims
