# NaN is made 0 after averaging
# points: 3

def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:

    idx = torch.tensor(classes)
    hits = torch.diagonal(confusion).index_select(0, idx)
    called = confusion.sum(0).index_select(0, idx)
    there = confusion.sum(1).index_select(0, idx)
    if average == "micro":
        hits, called, there = hits.sum(0, True), called.sum(0, True), there.sum(0, True)
    precision = hits / called
    recall = hits / there
    f1 = 2 * hits / (called + there)
    if average == "weighted":
        weights = there / there.sum()
    else:
        weights = torch.full((len(hits),), 1 / len(hits))
    result = torch.stack([precision, recall, f1]) @ weights
    return torch.nan_to_num(result, nan=0.0)
