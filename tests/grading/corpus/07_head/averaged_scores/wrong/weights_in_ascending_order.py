# The scores come in the order of the list, the weights in ascending order of the classes.
# points: 3
def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    table = confusion.double()
    hits, predictions, examples = table.diag(), table.sum(dim=0), table.sum(dim=1)

    def divide(top, bottom):
        return torch.where(bottom > 0, top / bottom.clamp(min=1.0), torch.zeros_like(top))

    weights = examples[sorted(classes)]
    hits, predictions, examples = hits[classes], predictions[classes], examples[classes]
    if average == "micro":
        hits, predictions, examples = hits.sum(), predictions.sum(), examples.sum()
    scores = torch.stack(
        [divide(hits, predictions), divide(hits, examples), divide(2 * hits, predictions + examples)]
    )
    if average == "micro":
        return scores.float()
    if average == "macro":
        return scores.mean(dim=1).float()
    return divide((scores * weights).sum(dim=1), weights.sum()).float()
