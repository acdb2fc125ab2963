# precision and recall the wrong way round
# points: 0

def averaged_scores(confusion, classes, average):
    tp = confusion.diagonal().float()[classes]
    row, col = confusion.sum(1).float()[classes], confusion.sum(0).float()[classes]
    w = torch.ones(len(classes)) if average == "macro" else row
    w = w / w.sum()
    if average == "micro":
        tp, row, col, w = tp.sum(), row.sum(), col.sum(), torch.tensor(1.0)
    p, r = tp / row, tp / col
    f = 2 * p * r / (p + r)
    return torch.stack([(p * w).sum(), (r * w).sum(), (f * w).sum()]).nan_to_num()
