# The macro average skips classes that neither occur nor are predicted, instead of counting them as 0.
# points: 3
def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    table = confusion.double()
    hits = table.diagonal()[classes]
    predicted = table.sum(dim=0)[classes]
    examples = table.sum(dim=1)[classes]
    if average == "micro":
        hits, predicted, examples = hits.sum(), predicted.sum(), examples.sum()
    precision = hits / predicted.clamp(min=1)
    recall = hits / examples.clamp(min=1)
    f1 = 2 * hits / (predicted + examples).clamp(min=1)
    scores = torch.stack([precision, recall, f1])
    if average == "micro":
        return scores.float()
    if average == "weighted":
        weights = examples / examples.sum().clamp(min=1)
    else:
        present = (predicted + examples > 0).double()
        weights = present / present.sum().clamp(min=1)
    return (scores * weights).sum(dim=1).float()
