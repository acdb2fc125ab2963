# 1 in every denominator
# points: 0

def averaged_scores(confusion, classes, average):
    M = confusion.double()
    tp, col, row = M.diag()[classes], M.sum(0)[classes], M.sum(1)[classes]
    if average == "micro":
        tp, col, row = tp.sum()[None], col.sum()[None], row.sum()[None]
    def part(a, b):
        return a / (b + 1)
    p, r = part(tp, col), part(tp, row)
    f = part(2 * tp, col + row)
    w = row if average == "weighted" else torch.ones_like(row)
    w = w / w.sum() if w.sum() > 0 else w
    return torch.stack([(s * w).sum() for s in (p, r, f)]).float()
