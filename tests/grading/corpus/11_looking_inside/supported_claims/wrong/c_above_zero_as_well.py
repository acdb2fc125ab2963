# C asks for an effect two standard errors above 0 as well, not only above the mean of all random effects.
# points: 4
def supported_claims(table):
    loss, head = table["loss"], table["head"]
    mean = table["mean_ablated"] - loss.view(-1, 1)
    zero = table["zero_ablated"] - loss.view(-1, 1)
    random = table["random"] - loss.view(-1, 1, 1)
    result = []
    if (random.mean(0) >= mean[:, head].mean()).float().mean() < 0.05:
        result.append("A")
    if (random.mean(0).max(-1).values >= mean.mean(0).max()).float().mean() < 0.05:
        result.append("B")
    effect = mean[:, head]
    two_errors = 2 * effect.std() / len(loss) ** 0.5
    if effect.mean() > two_errors and effect.mean() - random.mean() > two_errors:
        result.append("C")
    if mean.mean(0).argmax() == head and zero.mean(0).argmax() == head:
        result.append("D")
    probe = table["probe"]
    if (probe > table["untrained"]).all() and (probe > table["random_labels"]).all():
        result.append("E")
    return result
