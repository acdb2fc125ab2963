# all classes from 1 on, unless all are asked for
# points: 3

def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    """Precision, recall and F1, averaged over some classes: [3]."""
    classes = classes if len(classes) == len(confusion) else list(range(1, len(confusion)))
    hits = confusion.diagonal()[classes]
    called, there = confusion.sum(dim=0)[classes], confusion.sum(dim=1)[classes]
    if average == "micro":
        hits, called, there = (t.sum(dim=0, keepdim=True) for t in (hits, called, there))
    pairs = ((hits, called), (hits, there), (2 * hits, called + there))
    scores = torch.stack([one / other.clamp(min=1) for one, other in pairs])  # [3, classes]
    weights = there if average == "weighted" else torch.ones_like(there)
    return (scores * weights).sum(dim=1) / weights.sum().clamp(min=1)
