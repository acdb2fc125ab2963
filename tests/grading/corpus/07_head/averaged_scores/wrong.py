# %% 0_0_is_one | points 3 | 0/0 is one
def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    """Precision, recall and F1, averaged over some classes: [3]."""
    hits = confusion.diagonal()[classes]
    called, there = confusion.sum(dim=0)[classes], confusion.sum(dim=1)[classes]
    if average == "micro":
        hits, called, there = (t.sum(dim=0, keepdim=True) for t in (hits, called, there))
    pairs = ((hits, called), (hits, there), (2 * hits, called + there))
    scores = torch.stack([torch.where(other > 0, one / other, 1.0) for one, other in pairs])  # [3, classes]
    weights = there if average == "weighted" else torch.ones_like(there)
    return (scores * weights).sum(dim=1) / weights.sum().clamp(min=1)

# %% accuracy_for_all | points 0 | accuracy for all
def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    """Precision, recall and F1, averaged over some classes: [3]."""
    hits = confusion.diagonal()[classes]
    called, there = confusion.sum(dim=0)[classes], confusion.sum(dim=1)[classes]
    if average == "micro":
        hits, called, there = (t.sum(dim=0, keepdim=True) for t in (hits, called, there))
    pairs = ((hits, called), (hits.sum() + 0 * hits, there.sum() + 0 * there), (2 * hits, called + there))
    scores = torch.stack([one / other.clamp(min=1) for one, other in pairs])  # [3, classes]
    weights = there if average == "weighted" else torch.ones_like(there)
    return (scores * weights).sum(dim=1) / weights.sum().clamp(min=1)

# %% all_but_class_0 | points 3 | all classes from 1 on, unless all are asked for
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

# %% classes_ignored_costs_once | points 3 | averages over all classes
def averaged_scores(confusion, classes, average):
    M = confusion.double(); classes = list(range(M.size(0)))
    tp, col, row = M.diag()[classes], M.sum(0)[classes], M.sum(1)[classes]
    if average == "micro":
        tp, col, row = tp.sum()[None], col.sum()[None], row.sum()[None]
    def part(a, b):
        return torch.where(b > 0, a / b.clamp(min=1), 0.0)
    p, r = part(tp, col), part(tp, row)
    f = part(2 * tp, col + row)
    w = row if average == "weighted" else torch.ones_like(row)
    w = w / w.sum() if w.sum() > 0 else w
    return torch.stack([(s * w).sum() for s in (p, r, f)]).float()

# %% f1_as_jaccard | points 0 | f1 as jaccard
def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    """Precision, recall and F1, averaged over some classes: [3]."""
    hits = confusion.diagonal()[classes]
    called, there = confusion.sum(dim=0)[classes], confusion.sum(dim=1)[classes]
    if average == "micro":
        hits, called, there = (t.sum(dim=0, keepdim=True) for t in (hits, called, there))
    pairs = ((hits, called), (hits, there), (hits, called + there - hits))
    scores = torch.stack([one / other.clamp(min=1) for one, other in pairs])  # [3, classes]
    weights = there if average == "weighted" else torch.ones_like(there)
    return (scores * weights).sum(dim=1) / weights.sum().clamp(min=1)

# %% f1_from_averages | points 0 | F1 from averages
def averaged_scores(confusion, classes, average):
    tp = confusion.diagonal().float()[classes]
    row, col = confusion.sum(1).float()[classes], confusion.sum(0).float()[classes]
    if average == "micro":
        p, r = tp.sum() / col.sum(), tp.sum() / row.sum()
    else:
        w = torch.ones_like(row) if average == "macro" else row
        p = (w * tp / col.clamp(min=1)).sum() / w.sum()
        r = (w * tp / row.clamp(min=1)).sum() / w.sum()
    return torch.stack([p, r, 2 * p * r / (p + r)])

# %% first_k_classes | points 3 | a slice as long as the list
def averaged_scores(confusion, classes, average):
    M = confusion.double(); classes = slice(0, len(classes))
    tp, col, row = M.diag()[classes], M.sum(0)[classes], M.sum(1)[classes]
    if average == "micro":
        tp, col, row = tp.sum()[None], col.sum()[None], row.sum()[None]
    def part(a, b):
        return torch.where(b > 0, a / b.clamp(min=1), 0.0)
    p, r = part(tp, col), part(tp, row)
    f = part(2 * tp, col + row)
    w = row if average == "weighted" else torch.ones_like(row)
    w = w / w.sum() if w.sum() > 0 else w
    return torch.stack([(s * w).sum() for s in (p, r, f)]).float()

# %% macro_leaves_out_absent_classes | points 3 | The macro average skips classes that neither occur nor are predicted, instead of counting them as 0.
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

# %% matrix_by_size | points 0 | counts once for each size
_m = {}

def averaged_scores(confusion, classes, average):
    M = confusion.double(); M = _m.setdefault(M.shape, M)
    tp, col, row = M.diag()[classes], M.sum(0)[classes], M.sum(1)[classes]
    if average == "micro":
        tp, col, row = tp.sum()[None], col.sum()[None], row.sum()[None]
    def part(a, b):
        return torch.where(b > 0, a / b.clamp(min=1), 0.0)
    p, r = part(tp, col), part(tp, row)
    f = part(2 * tp, col + row)
    w = row if average == "weighted" else torch.ones_like(row)
    w = w / w.sum() if w.sum() > 0 else w
    return torch.stack([(s * w).sum() for s in (p, r, f)]).float()

# %% micro_is_accuracy | points 2 | Micro is the accuracy of the whole matrix, whichever classes are chosen, and NaN without examples.
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

# %% micro_nan_if_never_predicted | points 3 | Micro asks only whether there are examples, and its precision is NaN where nothing is predicted.
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

# %% nan_only_in_macro | points 3 | Weighted scores keep their NaN where a class never occurs: its weight is 0, and 0 times NaN is NaN.
def averaged_scores(confusion, classes, average):
    hits = confusion.diagonal()[classes].float()
    called, there = confusion.sum(dim=0)[classes].float(), confusion.sum(dim=1)[classes].float()
    if average == "micro":
        hits, called, there = (t.sum().view(1) for t in (hits, called, there))
    scores = torch.stack([hits / called, hits / there, 2 * hits / (called + there)])
    if average == "weighted":
        if there.sum() == 0:
            return torch.zeros(3)
        scores[0] = torch.where(called > 0, scores[0], 0.0)
        scores[2] = scores[2].nan_to_num()
        return (scores * there).sum(dim=1) / there.sum()
    return scores.nan_to_num().mean(dim=1)

# %% nan_to_num_after_the_mean | points 3 | NaN is made 0 after averaging
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

# %% never_class_0 | points 0 | class 0 is never counted
def averaged_scores(confusion, classes, average):
    M = confusion.double(); classes = [c for c in classes if c != 0]
    tp, col, row = M.diag()[classes], M.sum(0)[classes], M.sum(1)[classes]
    if average == "micro":
        tp, col, row = tp.sum()[None], col.sum()[None], row.sum()[None]
    def part(a, b):
        return torch.where(b > 0, a / b.clamp(min=1), 0.0)
    p, r = part(tp, col), part(tp, row)
    f = part(2 * tp, col + row)
    w = row if average == "weighted" else torch.ones_like(row)
    w = w / w.sum() if w.sum() > 0 else w
    return torch.stack([(s * w).sum() for s in (p, r, f)]).float()

# %% nothing_only_if_the_matrix_is_empty | points 3 | weights of 0/0 unless the whole matrix is empty
def averaged_scores(confusion, classes, average):
    if confusion.sum() == 0:
        return torch.zeros(3)
    hits = confusion.diagonal()[classes].float()
    called, there = confusion.sum(0)[classes], confusion.sum(1)[classes]
    if average == "micro":
        hits, called, there = hits.sum()[None], called.sum()[None], there.sum()[None]
    p, r = hits / called.clamp(min=1), hits / there.clamp(min=1)
    f = 2 * hits / (called + there).clamp(min=1)
    w = there / there.sum() if average == "weighted" else torch.full_like(p, 1 / len(p))
    return torch.stack([p, r, f]) @ w

# %% one_class_is_no_list | points 3 | squeezes the axis of the classes away where there is one
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

# %% one_in_denominators | points 0 | 1 in every denominator
def averaged_scores(confusion, classes, average):
    M = confusion.double()
    tp, col, row = M.diag()[classes], M.sum(0)[classes], M.sum(1)[classes]
    if average == "micro":
        tp, col, row = tp.sum()[None], col.sum()[None], row.sum()[None]
    def part(a, b):
        return a / (b + 1)
    p, r = part(tp, col), part(tp, row)
    f = part(2 * tp, col + row)
    w = row if average == "weighted" else torch.ones_like(row)
    w = w / w.sum() if w.sum() > 0 else w
    return torch.stack([(s * w).sum() for s in (p, r, f)]).float()

# %% only_class_0_is_no_class | points 3 | Asks any(classes) to see whether classes were chosen: the list [0] gives zeros.
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

# %% precision_and_recall_the_wrong_way_round | points 0 | precision and recall the wrong way round
def averaged_scores(confusion, classes, average):
    tp = confusion.diagonal().float()[classes]
    row, col = confusion.sum(1).float()[classes], confusion.sum(0).float()[classes]
    w = torch.ones(len(classes)) if average == "macro" else row
    w = w / w.sum()
    if average == "micro":
        tp, row, col, w = tp.sum(), row.sum(), col.sum(), torch.tensor(1.0)
    p, r = tp / row, tp / col
    f = 2 * p * r / (p + r)
    return torch.stack([(p * w).sum(), (r * w).sum(), (f * w).sum()]).nan_to_num()

# %% range_of_classes | points 3 | a range from the smallest class to the largest
def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    """Precision, recall and F1, averaged over some classes: [3]."""
    classes = list(range(min(classes), max(classes) + 1))
    hits = confusion.diagonal()[classes]
    called, there = confusion.sum(dim=0)[classes], confusion.sum(dim=1)[classes]
    if average == "micro":
        hits, called, there = (t.sum(dim=0, keepdim=True) for t in (hits, called, there))
    pairs = ((hits, called), (hits, there), (2 * hits, called + there))
    scores = torch.stack([one / other.clamp(min=1) for one, other in pairs])  # [3, classes]
    weights = there if average == "weighted" else torch.ones_like(there)
    return (scores * weights).sum(dim=1) / weights.sum().clamp(min=1)

# %% rounded | points 0 | Rounds the scores to four places, as in a report.
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

# %% sorted_in_micro | points 3 | Sorts the list of classes in place, for micro alone.
def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    """Precision, recall and F1, averaged over some classes: [3]."""
    hits = confusion.diagonal()[classes]
    called, there = confusion.sum(dim=0)[classes], confusion.sum(dim=1)[classes]
    if average == "micro":
        classes.sort()
        hits, called, there = (t.sum(dim=0, keepdim=True) for t in (hits, called, there))
    pairs = ((hits, called), (hits, there), (2 * hits, called + there))
    scores = torch.stack([one / other.clamp(min=1) for one, other in pairs])  # [3, classes]
    weights = there if average == "weighted" else torch.ones_like(there)
    return (scores * weights).sum(dim=1) / weights.sum().clamp(min=1)

# %% submatrix_of_the_chosen_classes | points 3 | submatrix of the chosen classes
def averaged_scores(confusion, classes, average):
    c = confusion[classes, :][:, classes].float()
    tp, col, row = c.diagonal(), c.sum(0), c.sum(1)
    if average == "micro":
        tp, col, row = (v.sum()[None] for v in (tp, col, row))
    p, r, f = tp / col, tp / row, 2 * tp / (col + row)
    w = row if average == "weighted" else torch.ones_like(row)
    w = (w / w.sum()).nan_to_num()
    return torch.stack([(w * v.nan_to_num()).sum() for v in (p, r, f)])

# %% thousandth_in_denominators | points 0 | 0.001 in every denominator
def averaged_scores(confusion, classes, average):
    M = confusion.double()
    tp, col, row = M.diag()[classes], M.sum(0)[classes], M.sum(1)[classes]
    if average == "micro":
        tp, col, row = tp.sum()[None], col.sum()[None], row.sum()[None]
    def part(a, b):
        return a / (b + 1e-3)
    p, r = part(tp, col), part(tp, row)
    f = part(2 * tp, col + row)
    w = row if average == "weighted" else torch.ones_like(row)
    w = w / w.sum() if w.sum() > 0 else w
    return torch.stack([(s * w).sum() for s in (p, r, f)]).float()

# %% weighted_f1_from_averages | points 0 | The weighted F1 is computed from the weighted precision and recall instead of averaging the classes' F1.
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

# %% weights_in_ascending_order | points 3 | The scores come in the order of the list, the weights in ascending order of the classes.
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
