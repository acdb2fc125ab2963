# Micro is the accuracy of the whole matrix, whichever classes are chosen, and NaN without examples.
# points: 2
def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    confusion = confusion.float()
    tp = confusion.diag()[classes]
    predicted = confusion.sum(dim=0)[classes]
    actual = confusion.sum(dim=1)[classes]
    if average == "micro":
        return (confusion.diag().sum() / confusion.sum()).repeat(3)

    def divide(a, b):
        return torch.where(b > 0, a / b.clamp(min=1), 0.0)

    precision = divide(tp, predicted)
    recall = divide(tp, actual)
    f1 = divide(2 * tp, predicted + actual)
    scores = torch.stack([precision, recall, f1])
    if average == "weighted":
        return (scores * divide(actual, actual.sum())).sum(dim=1)
    return scores.mean(dim=1)
