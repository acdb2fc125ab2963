# Guards against a missing head with `or`, so that head 0 is replaced with the best head.
# points: 0
def supported_claims(table):
    loss, head = table["loss"], table["head"]
    mean_effects = table["mean_ablated"] - loss[:, None]
    zero_effects = table["zero_ablated"] - loss[:, None]
    random_effects = table["random"] - loss[:, None, None]
    effects, zero, random = mean_effects.mean(0), zero_effects.mean(0), random_effects.mean(0)
    head = table.get("head") or int(effects.argmax())
    claims = []
    if (random >= effects[head]).float().mean() < 0.05:
        claims.append("A")
    if (random.amax(1) >= effects.max()).float().mean() < 0.05:
        claims.append("B")
    error = mean_effects[:, head].std() / math.sqrt(len(loss))
    if effects[head] - random.mean() > 2 * error:
        claims.append("C")
    if effects.argmax() == head and zero.argmax() == head:
        claims.append("D")
    if ((table["probe"] > table["untrained"]) & (table["probe"] > table["random_labels"])).all():
        claims.append("E")
    return claims
