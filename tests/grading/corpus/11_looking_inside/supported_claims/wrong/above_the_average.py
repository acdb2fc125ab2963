# A and B: larger than the average
# points: 0

def supported_claims(table):
    h = table["head"]
    loss = table["loss"]
    em = table["mean_ablated"] - loss[:, None]
    ez = table["zero_ablated"] - loss[:, None]
    er = table["random"] - loss[:, None, None]
    m, z, r = em.mean(0), ez.mean(0), er.mean(0)
    out = []
    if m[h] > r.mean():
        out.append("A")
    if m.max() > r.amax(1).mean():
        out.append("B")
    if em[:, h].mean() - er.mean() > 2 * em[:, h].std() / len(loss) ** 0.5:
        out.append("C")
    if m.argmax() == h and z.argmax() == h:
        out.append("D")
    if (table["probe"] > table["untrained"]).all() and (table["probe"] > table["random_labels"]).all():
        out.append("E")
    return out

