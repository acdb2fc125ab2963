# squeezes the axis of the classes away where there is one
# points: 3

def averaged_scores(confusion, classes, average):
    chosen = torch.tensor(classes)
    hits = confusion.diagonal()[chosen].float()
    called, there = confusion.sum(0)[chosen], confusion.sum(1)[chosen]
    if average == "micro":
        hits, called, there = hits.sum()[None], called.sum()[None], there.sum()[None]
    scores = torch.stack([hits / called.clamp(min=1), hits / there.clamp(min=1), 2 * hits / (called + there).clamp(min=1)]).squeeze()
    if scores.dim() == 1 and average == "micro":
        return scores
    w = there if average == "weighted" else torch.ones_like(there)
    return (scores * w).sum(-1) / w.sum().clamp(min=1)
