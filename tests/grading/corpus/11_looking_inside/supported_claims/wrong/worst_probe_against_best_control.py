# E compares the smallest accuracy of the probe with the largest of the controls, not seed by seed.
# points: 0
def supported_claims(table):
    head = table["head"]
    loss = table["loss"]
    effects = table["mean_ablated"] - loss.unsqueeze(1)
    zero = table["zero_ablated"] - loss.unsqueeze(1)
    random = table["random"] - loss.reshape(-1, 1, 1)
    claims = []
    mean = effects.mean(0)
    directions = random.mean(0)
    if (directions >= mean[head]).float().mean() < 0.05:
        claims.append("A")
    winners = directions.max(dim=1).values
    if (winners >= mean.max()).float().mean() < 0.05:
        claims.append("B")
    error = effects[:, head].std() / len(loss) ** 0.5
    if mean[head] - random.mean() > 2 * error:
        claims.append("C")
    if mean.argmax() == head and zero.mean(0).argmax() == head:
        claims.append("D")
    probe = table["probe"]
    if probe.min() > max(table["untrained"].max(), table["random_labels"].max()):
        claims.append("E")
    return claims
