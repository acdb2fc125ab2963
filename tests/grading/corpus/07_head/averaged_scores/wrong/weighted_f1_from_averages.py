# The weighted F1 is computed from the weighted precision and recall instead of averaging the classes' F1.
# points: 0
def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    def divide(above, below):
        return above / below if below else 0.0

    table = confusion.tolist()
    hits = [table[c][c] for c in classes]
    predicted = [sum(row[c] for row in table) for c in classes]
    examples = [sum(table[c]) for c in classes]
    if average == "micro":
        h, p, e = sum(hits), sum(predicted), sum(examples)
        return torch.tensor([divide(h, p), divide(h, e), divide(2 * h, p + e)])
    precision = [divide(h, p) for h, p in zip(hits, predicted)]
    recall = [divide(h, e) for h, e in zip(hits, examples)]
    if average == "macro":
        f1 = [divide(2 * h, p + e) for h, p, e in zip(hits, predicted, examples)]
        return torch.tensor([sum(s) / len(classes) for s in (precision, recall, f1)])
    p = divide(sum(w * s for w, s in zip(examples, precision)), sum(examples))
    r = divide(sum(w * s for w, s in zip(examples, recall)), sum(examples))
    return torch.tensor([p, r, divide(2 * p * r, p + r)], dtype=torch.float32)
