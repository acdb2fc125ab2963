# Asks any(classes) to see whether classes were chosen: the list [0] gives zeros.
# points: 3
def averaged_scores(confusion, classes, average):
    if not any(classes):
        return torch.zeros(3)
    counts = confusion.double()
    hits = counts.diagonal()[classes]
    predictions = counts.sum(dim=0)[classes]
    examples = counts.sum(dim=1)[classes]
    if average == "micro":
        hits, predictions, examples = hits.sum()[None], predictions.sum()[None], examples.sum()[None]
    precision = hits / predictions.clamp(min=1)
    recall = hits / examples.clamp(min=1)
    f1 = 2 * hits / (predictions + examples).clamp(min=1)
    scores = torch.stack([precision, recall, f1])
    if average == "weighted":
        weights = examples / examples.sum().clamp(min=1)
        return (scores * weights).sum(dim=1).float()
    return scores.mean(dim=1).float()
