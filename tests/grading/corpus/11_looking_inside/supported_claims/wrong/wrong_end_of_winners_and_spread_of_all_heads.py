# B reads the winners' quantile at 5% instead of 95%; C takes the standard deviation of the effects of all heads together.
# points: 3
def supported_claims(table):
    loss = table["loss"].double()
    h = table["head"]
    effect = table["mean_ablated"].double() - loss[:, None]
    zero = table["zero_ablated"].double() - loss[:, None]
    random = table["random"].double() - loss[:, None, None]
    mean = effect.mean(0)
    single = random.mean(0)
    claims = []
    if (single >= mean[h]).double().mean() < 0.05:
        claims.append("A")
    if mean.max() > torch.quantile(single.amax(1), 0.05):
        claims.append("B")
    if mean[h] > random.mean() + 2 * effect.std() / math.sqrt(len(loss)):
        claims.append("C")
    if mean.argmax() == h and zero.mean(0).argmax() == h:
        claims.append("D")
    if bool(((table["probe"] > table["untrained"]) & (table["probe"] > table["random_labels"])).all()):
        claims.append("E")
    return claims
