# lowercase
# points: 0

def supported_claims(table):
    h = table["head"]
    loss = table["loss"]
    em = table["mean_ablated"] - loss[:, None]
    ez = table["zero_ablated"] - loss[:, None]
    er = table["random"] - loss[:, None, None]
    m, z, r = em.mean(0), ez.mean(0), er.mean(0)
    out = []
    if (r >= m[h]).float().mean() < 0.05:
        out.append("A")
    if (r.amax(1) >= m.max()).float().mean() < 0.05:
        out.append("B")
    if em[:, h].mean() - er.mean() > 2 * em[:, h].std() / len(loss) ** 0.5:
        out.append("C")
    if m.argmax() == h and z.argmax() == h:
        out.append("D")
    if (table["probe"] > table["untrained"]).all() and (table["probe"] > table["random_labels"]).all():
        out.append("E")
    return [x.lower() for x in out]

