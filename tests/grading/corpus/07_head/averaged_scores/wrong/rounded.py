# Rounds the scores to four places, as in a report.
# points: 0
def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    matrix = confusion.tolist()

    def ratio(a, b):
        return a / b if b else 0.0

    hits = [matrix[c][c] for c in classes]
    called = [sum(row[c] for row in matrix) for c in classes]
    there = [sum(matrix[c]) for c in classes]
    if average == "micro":
        hits, called, there = [sum(hits)], [sum(called)], [sum(there)]
    result = []
    for top, bottom in (
        (hits, called),
        (hits, there),
        ([2 * h for h in hits], [a + b for a, b in zip(called, there)]),
    ):
        scores = [ratio(a, b) for a, b in zip(top, bottom)]
        if average == "weighted":
            value = ratio(sum(s * t for s, t in zip(scores, there)), sum(there))
        else:
            value = sum(scores) / len(scores)
        result.append(round(value, 4))
    return torch.tensor(result)
