# Weighted scores keep their NaN where a class never occurs: its weight is 0, and 0 times NaN is NaN.
# points: 3
def averaged_scores(confusion, classes, average):
    hits = confusion.diagonal()[classes].float()
    called, there = confusion.sum(dim=0)[classes].float(), confusion.sum(dim=1)[classes].float()
    if average == "micro":
        hits, called, there = (t.sum().view(1) for t in (hits, called, there))
    scores = torch.stack([hits / called, hits / there, 2 * hits / (called + there)])
    if average == "weighted":
        if there.sum() == 0:
            return torch.zeros(3)
        scores[0] = torch.where(called > 0, scores[0], 0.0)
        scores[2] = scores[2].nan_to_num()
        return (scores * there).sum(dim=1) / there.sum()
    return scores.nan_to_num().mean(dim=1)
