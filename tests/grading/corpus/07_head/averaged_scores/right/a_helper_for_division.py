# a helper for division
# points: 4

def averaged_scores(confusion, classes, average):
    div = lambda a, b: torch.where(b > 0, a / b.clamp(min=1), torch.zeros(()))
    c = confusion.float()
    tp = c.diag()[classes]
    pred = c.sum(dim=0)[classes]
    true = c.sum(dim=1)[classes]
    if average == "micro":
        tp, pred, true = tp.sum(), pred.sum(), true.sum()
        return torch.stack([div(tp, pred), div(tp, true), div(2 * tp, pred + true)])
    p, r = div(tp, pred), div(tp, true)
    f = torch.where(p + r > 0, 2 * p * r / (p + r), 0.0)
    if average == "macro":
        return torch.stack([p.mean(), r.mean(), f.mean()])
    s = div(true, true.sum().expand_as(true))
    return torch.stack([p @ s, r @ s, f @ s])
