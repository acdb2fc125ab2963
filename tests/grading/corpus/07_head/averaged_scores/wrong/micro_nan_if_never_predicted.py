# Micro asks only whether there are examples, and its precision is NaN where nothing is predicted.
# points: 3
def averaged_scores(confusion, classes, average):
    hits = confusion.diagonal()[classes].float()
    called, there = confusion.sum(dim=0)[classes].float(), confusion.sum(dim=1)[classes].float()
    if average == "micro":
        hits, called, there = hits.sum(), called.sum(), there.sum()
        if there == 0:
            return torch.zeros(3)
        return torch.stack([hits / called, hits / there, 2 * hits / (called + there)])
    scores = torch.stack([hits / called, hits / there, 2 * hits / (called + there)]).nan_to_num()
    if average == "macro":
        return scores.mean(dim=1)
    return (scores * there).sum(dim=1) / there.sum().clamp(min=1)
