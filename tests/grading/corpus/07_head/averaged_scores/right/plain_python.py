# plain python
# points: 4

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
