# %% a_helper_for_division | points 4 | a helper for division
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

# %% nan_to_num | points 4 | nan_to_num
def averaged_scores(confusion, classes, average):
    idx = torch.as_tensor(classes)
    m = confusion.float()
    tp, pred, true = m.diag()[idx], m.sum(0)[idx], m.sum(1)[idx]
    if average == "micro":
        tp, pred, true = tp.sum().view(1), pred.sum().view(1), true.sum().view(1)
    p, r = (tp / pred).nan_to_num(0), (tp / true).nan_to_num(0)
    f = (2 * p * r / (p + r)).nan_to_num(0)
    s = torch.stack((p, r, f), dim=1)
    if average == "weighted":
        return (true / true.sum()).nan_to_num(0) @ s
    return s.mean(0)

# %% plain_python | points 4 | plain python
def averaged_scores(confusion, classes, average):
    m = confusion.tolist()
    def divide(a, b):
        return a / b if b else 0.0
    h = {c: m[c][c] for c in classes}
    p = {c: sum(row[c] for row in m) for c in classes}
    t = {c: sum(m[c]) for c in classes}
    if average == "micro":
        H, P, T = sum(h.values()), sum(p.values()), sum(t.values())
        return torch.tensor([divide(H, P), divide(H, T), divide(2 * H, P + T)])
    table = [(divide(h[c], p[c]), divide(h[c], t[c]), divide(2 * h[c], p[c] + t[c]), t[c] if average == "weighted" else 1) for c in classes]
    total = sum(row[3] for row in table)
    return torch.tensor([divide(sum(row[i] * row[3] for row in table), total) for i in range(3)])

# %% tiny_in_denominators | points 4 | 1e-12 in float64, which no digit shows
def averaged_scores(confusion, classes, average):
    M = confusion.double()
    tp, col, row = M.diag()[classes], M.sum(0)[classes], M.sum(1)[classes]
    if average == "micro":
        tp, col, row = tp.sum()[None], col.sum()[None], row.sum()[None]
    def part(a, b):
        return a / (b + 1e-12)
    p, r = part(tp, col), part(tp, row)
    f = part(2 * tp, col + row)
    w = row if average == "weighted" else torch.ones_like(row)
    w = w / w.sum() if w.sum() > 0 else w
    return torch.stack([(s * w).sum() for s in (p, r, f)]).float()
