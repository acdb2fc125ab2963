# weights of 0/0 unless the whole matrix is empty
# points: 3

def averaged_scores(confusion, classes, average):
    if confusion.sum() == 0:
        return torch.zeros(3)
    hits = confusion.diagonal()[classes].float()
    called, there = confusion.sum(0)[classes], confusion.sum(1)[classes]
    if average == "micro":
        hits, called, there = hits.sum()[None], called.sum()[None], there.sum()[None]
    p, r = hits / called.clamp(min=1), hits / there.clamp(min=1)
    f = 2 * hits / (called + there).clamp(min=1)
    w = there / there.sum() if average == "weighted" else torch.full_like(p, 1 / len(p))
    return torch.stack([p, r, f]) @ w
