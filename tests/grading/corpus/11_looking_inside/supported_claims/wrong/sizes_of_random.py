# Takes the sizes of the random mean effects, without their signs.
# points: 0
def supported_claims(table: dict) -> list[str]:
    """The letters of the claims, A to E, that the numbers of a table support."""
    head = table["head"]
    loss = table["loss"]
    mean_effects = table["mean_ablated"] - loss[:, None]
    zero_effects = table["zero_ablated"] - loss[:, None]
    random = table["random"] - loss[:, None, None]
    of_heads = mean_effects.mean(dim=0)
    of_random = random.mean(dim=0).abs()
    claims = []
    if (of_random >= of_heads[head]).float().mean() < 0.05:
        claims.append("A")
    winners = of_random.max(dim=1).values
    if (winners >= of_heads.max()).float().mean() < 0.05:
        claims.append("B")
    own = mean_effects[:, head]
    error = own.std() / math.sqrt(len(own))
    if own.mean() - random.mean() > 2 * error:
        claims.append("C")
    if of_heads.argmax() == head and zero_effects.mean(dim=0).argmax() == head:
        claims.append("D")
    trained = table["probe"]
    if (trained > table["untrained"]).all() and (trained > table["random_labels"]).all():
        claims.append("E")
    return claims
