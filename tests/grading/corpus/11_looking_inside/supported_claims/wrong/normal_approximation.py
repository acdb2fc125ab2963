# A uses mean + 1.645 standard deviations of the random directions instead of counting them.
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
    if mean[head] > directions.mean() + 1.645 * directions.std():
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
    if ((probe > table["untrained"]) & (probe > table["random_labels"])).all():
        claims.append("E")
    return claims
