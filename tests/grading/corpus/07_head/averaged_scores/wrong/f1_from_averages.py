# F1 from averages
# points: 0

def averaged_scores(confusion, classes, average):
    tp = confusion.diagonal().float()[classes]
    row, col = confusion.sum(1).float()[classes], confusion.sum(0).float()[classes]
    if average == "micro":
        p, r = tp.sum() / col.sum(), tp.sum() / row.sum()
    else:
        w = torch.ones_like(row) if average == "macro" else row
        p = (w * tp / col.clamp(min=1)).sum() / w.sum()
        r = (w * tp / row.clamp(min=1)).sum() / w.sum()
    return torch.stack([p, r, 2 * p * r / (p + r)])
