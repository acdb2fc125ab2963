"""Scores of the classes that matter."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from grading.content.head.sections import SCORES
from grading.content.head.shared import NONE
from grading.exercise import Case, Exercise, Mistake, Part


def _averaged_scores(mistakes: frozenset[str] = NONE):
    def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
        return torch.stack(scores(confusion, classes, average)).float()

    def scores(confusion: Tensor, classes: list[int], average: str) -> tuple[Tensor, ...]:
        if "exchanged" in mistakes:
            confusion = confusion.T
        if "all_classes" in mistakes:
            classes = list(range(len(confusion)))
        if "cut" in mistakes:
            confusion = confusion[classes][:, classes]
            classes = list(range(len(confusion)))
        if average == "weighted" and "macro_always" in mistakes:
            average = "macro"
        elif average == "macro" and "weighted_always" in mistakes:
            average = "weighted"
        confusion = confusion.double()
        right = confusion.diagonal()[classes]
        called, there = confusion.sum(dim=0)[classes], confusion.sum(dim=1)[classes]
        everything = confusion.sum()
        if average == "micro":
            if "micro_accuracy" in mistakes:
                share = confusion.diagonal().sum() / everything
                return share, share, share
            if "micro_as_macro" not in mistakes:
                right, called, there = right.sum(), called.sum(), there.sum()
        nan = "empty_nan" in mistakes
        if nan:
            precision, recall = right / called, right / there
        else:
            precision, recall = right / called.clamp(min=1), right / there.clamp(min=1)

        def harmonic(p, r):
            if "arithmetic" in mistakes:
                return (p + r) / 2
            if "geometric" in mistakes:
                return (p * r).sqrt()
            factor = 1 if "not_doubled" in mistakes else 2
            if nan or "f1_nan" in mistakes:
                return factor * p * r / (p + r)
            return factor * p * r / (p + r).clamp(min=1e-30)

        f1 = harmonic(precision, recall)
        if right.dim() == 0:
            return precision, recall, f1
        weights = torch.ones_like(there)
        if average == "weighted":
            weights = called if "weights_by_predictions" in mistakes else there
        if "present_only" in mistakes:
            weights = weights * (there > 0)
        total = weights.sum()
        if average == "weighted" and "weights_not_normalised" in mistakes:
            total = torch.ones(())
        if average == "weighted" and "share_of_everything" in mistakes:
            total = everything
        precision, recall, averaged = (
            (weights * score).sum() / total.clamp(min=1) for score in (precision, recall, f1)
        )
        if "f1_of_averages" in mistakes:
            averaged = harmonic(precision, recall)
        return precision, recall, averaged

    return averaged_scores


def _confusion(generator: torch.Generator, size: int) -> Tensor:
    """Many right, unequal classes, and errors that are not symmetric."""
    counts = torch.randint(1, 9, (size, size), generator=generator)
    counts += torch.diag(torch.randint(6, 20, (size,), generator=generator))
    counts[0] *= 4  # a class far larger than the others
    counts[0, 1] += 7
    return counts


def _scores_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, confusion, classes, average):
        arguments = (("confusion", confusion), ("classes", classes), ("average", average))
        return Case(title, part, arguments)

    one, two, three = (_confusion(generator, size) for size in (3, 4, 5))
    never_called, never_there, never_right = (_confusion(generator, 4) for _ in range(3))
    never_called[:, 2] = 0
    never_there[1] = 0
    never_right[3, 3] = 0
    nowhere = _confusion(generator, 5)
    nowhere[2], nowhere[:, 2] = 0, 0
    return [
        case("macro, three classes", "core", one, [0, 1, 2], "macro"),
        case("macro, five classes", "core", three, [0, 1, 2, 3, 4], "macro"),
        case("weighted, four classes", "core", two, [0, 1, 2, 3], "weighted"),
        case("macro, class 0 left out", "some", two, [1, 2, 3], "macro"),
        case("weighted, two classes left out", "some", three, [4, 1, 3], "weighted"),
        case("micro, class 0 left out", "some", three, [1, 2, 3, 4], "micro"),
        case("micro, all classes", "some", two, [0, 1, 2, 3], "micro"),
        case("a class that is never predicted", "zero", never_called, [0, 1, 2, 3], "macro"),
        case("a class that never occurs", "zero", never_there, [0, 1, 2, 3], "macro"),
        case("a class that is never right", "zero", never_right, [0, 1, 2, 3], "weighted"),
        case("a class that is nowhere", "zero", nowhere, [0, 1, 2, 3, 4], "macro"),
        case("only a class that is nowhere", "zero", nowhere, [2], "weighted"),
        case("only a class that is nowhere, micro", "zero", nowhere, [2], "micro"),
    ]


def _from_counts(nothing: float = 0.0, jaccard: bool = False) -> Callable:
    """Each score as a quotient of counts, with ``nothing`` for 0/0."""

    def averaged_scores(confusion, classes, average):
        hits, there = confusion.diagonal()[classes], confusion.sum(dim=1)[classes]
        called = confusion.sum(dim=0)[classes]
        if average == "micro":
            hits, there, called = (t.sum(dim=0, keepdim=True) for t in (hits, there, called))
        f1 = (hits, called + there - hits) if jaccard else (2 * hits, called + there)
        quotients = ((hits, called), (hits, there), f1)
        scores = [torch.where(low > 0, top / low.clamp(min=1), nothing) for top, low in quotients]
        weights = there if average == "weighted" else torch.ones_like(there)
        return (torch.stack(scores) * weights).sum(dim=1) / weights.sum().clamp(min=1)

    return averaged_scores


Counts = tuple[Tensor, Tensor, Tensor]  # hits, predictions, examples, of the chosen classes


def _counted_otherwise(
    counts: Callable[[Tensor, list[int], str], Counts] | None = None,
    weights: Callable[[Counts], Tensor] | None = None,
    quotient: Callable[[Tensor, Tensor], Tensor] | None = None,
    averaged: Callable[[Tensor, Tensor, int], Tensor] | None = None,
) -> Callable:
    """The scores from counts, with one of the steps replaced."""

    def of_classes(confusion, classes, average):
        found = (
            confusion.diagonal()[classes],
            confusion.sum(dim=0)[classes],
            confusion.sum(dim=1)[classes],
        )
        return tuple(t.sum(dim=0, keepdim=True) for t in found) if average == "micro" else found

    def averaged_scores(confusion, classes, average):
        found = (counts or of_classes)(confusion, classes, average)
        hits, called, there = (t.double() for t in found)
        divide = quotient or (lambda one, other: one / other.clamp(min=1))
        pairs = ((hits, called), (hits, there), (2 * hits, called + there))
        scores = torch.stack([divide(one, other) for one, other in pairs])  # [3, classes]
        heavy = torch.ones_like(there)
        if average == "weighted":
            heavy = (weights or (lambda counts: counts[2]))((hits, called, there))
        if averaged is not None and average != "micro":
            return averaged(scores, heavy, len(confusion)).float()
        return ((scores * heavy).sum(dim=1) / heavy.sum().clamp(min=1e-9)).float()

    return averaged_scores


def _without_undefined(scores: Tensor, heavy: Tensor, _: int) -> Tensor:
    known = heavy * ~scores.isnan()
    return (scores.nan_to_num() * known).sum(dim=1) / known.sum(dim=1).clamp(min=1e-9)


def _some_rows(confusion, classes, average):
    """Predictions counted among the examples of the chosen classes only."""
    table = confusion[classes]
    found = confusion.diagonal()[classes], table.sum(dim=0)[classes], table.sum(dim=1)
    return tuple(t.sum(dim=0, keepdim=True) for t in found) if average == "micro" else found


def _some_columns(confusion, classes, average):
    """Examples counted among the predictions of the chosen classes only."""
    table = confusion[:, classes]
    found = confusion.diagonal()[classes], table.sum(dim=0), table.sum(dim=1)[classes]
    return tuple(t.sum(dim=0, keepdim=True) for t in found) if average == "micro" else found


def _everything_called(confusion, classes, average):
    hits, there = confusion.diagonal()[classes], confusion.sum(dim=1)[classes]
    if average == "micro":
        hits, there = hits.sum(dim=0, keepdim=True), there.sum(dim=0, keepdim=True)
    return hits, confusion.sum().expand_as(hits), there


def _one_micro(place: int) -> Callable:
    """For ``micro`` one of the three numbers in all three places."""

    def averaged_scores(confusion, classes, average):
        scores = _averaged_scores()(confusion, classes, average)
        return scores[[place] * 3] if average == "micro" else scores

    return averaged_scores


def _ratio(one: float, other: float) -> float:
    return one / other if other else 0.0


def _scores_in_python(confusion, classes, average):
    table = confusion.tolist()
    everything = range(len(table))
    found = []
    for c in classes:
        called, there = sum(table[i][c] for i in everything), sum(table[c])
        found.append((table[c][c], called, there))
    if average == "micro":
        found = [tuple(map(sum, zip(*found, strict=True)))]
    rows = [(_ratio(h, c), _ratio(h, t), _ratio(2 * h, c + t)) for h, c, t in found]
    weights = [t if average == "weighted" else 1 for _, _, t in found]
    return torch.tensor(
        [
            _ratio(sum(w * row[i] for w, row in zip(weights, rows, strict=True)), sum(weights))
            for i in range(3)
        ]
    )


def _scores_from_hits_and_misses(confusion, classes, average):
    """True positives, false positives, false negatives, in float32."""
    tp = confusion.diagonal().float()
    fp, fn = confusion.sum(0) - tp, confusion.sum(1) - tp
    tp, fp, fn = (x[torch.tensor(classes)] for x in (tp, fp, fn))
    if average == "micro":
        tp, fp, fn = (x.sum().unsqueeze(0) for x in (tp, fp, fn))
    scores = torch.stack([tp / (tp + fp), tp / (tp + fn), 2 * tp / (2 * tp + fp + fn)])
    weights = tp + fn if average == "weighted" else torch.ones_like(tp)
    weights = (weights / weights.sum()).nan_to_num()
    return (scores.nan_to_num() * weights).sum(1)


def _scores_by_examples(confusion, classes, average):
    """Back to one label and one prediction an example."""
    pairs = confusion.nonzero().repeat_interleave(confusion[confusion > 0], dim=0)
    label, said = pairs.T
    hits = torch.tensor([float(((label == c) & (said == c)).sum()) for c in classes])
    called = torch.tensor([float((said == c).sum()) for c in classes])
    there = torch.tensor([float((label == c).sum()) for c in classes])
    if average == "micro":
        hits, called, there = hits.sum(), called.sum(), there.sum()
    p = torch.where(called > 0, hits / called, 0.0)
    r = torch.where(there > 0, hits / there, 0.0)
    f = torch.where(p + r > 0, 2 * p * r / (p + r), 0.0)
    if average == "weighted":
        share = there / max(float(there.sum()), 1.0)
        return torch.stack([(score * share).sum() for score in (p, r, f)])
    return torch.tensor([p.mean().item(), r.mean().item(), f.mean().item()])


def _one_class_at_a_time(confusion, classes, average):
    total, heaviness = torch.zeros(3), 0.0
    for c in classes:
        hits, called, there = confusion[c, c], confusion[:, c].sum(), confusion[c].sum()
        weight = float(there) if average == "weighted" else 1.0
        shares = [hits / (there + 1e-9), 2 * hits / (called + there + 1e-9)]
        total += weight * torch.stack([hits / (called + 1e-9), *shares])
        heaviness += weight
    return total / heaviness if heaviness else total


EXERCISE = Exercise(
    id="averaged_scores",
    title="Scores of the classes that matter",
    signature="averaged_scores(confusion, classes, average)",
    reference=_averaged_scores(),
    variant=_averaged_scores,
    cases=_scores_cases,
    parts=(
        Part("core", "macro and weighted averages over all classes", 2),
        Part("some", "some classes only; micro", 1),
        Part("zero", "classes that never occur, or are never predicted", 1),
    ),
    minutes=20,
    difficulty=2,
    section=SCORES,
    alternatives={
        "plain Python": _scores_in_python,
        "true and false positives": _scores_from_hits_and_misses,
        "one pair an example": _scores_by_examples,
        "scores of one class at a time": lambda confusion, classes, average: (
            _averaged_scores()(confusion, classes, average)
            if average == "micro"
            else _one_class_at_a_time(confusion, classes, average)
        ),
    },
    mistakes=(
        Mistake(
            "exchanged",
            "Rows and columns are exchanged, so precision and recall are, too. A row is a label, "
            "a column a prediction: precision divides by the column's sum.",
        ),
        Mistake("macro_always", "`weighted` gives the plain average of the classes."),
        Mistake(
            "weighted_always",
            "`macro` is weighted; there every class counts the same.",
            mutation=_averaged_scores(frozenset({"weighted_always"})),
        ),
        Mistake(
            "weights_by_predictions",
            "The weights are how often a class was predicted. They are how often it occurs.",
        ),
        Mistake(
            "weights_not_normalised",
            "The weighted scores are added up and not divided by the sum of the weights.",
            mutation=_averaged_scores(frozenset({"weights_not_normalised"})),
        ),
        Mistake(
            "f1_of_averages",
            "The F1 is computed from averaged precision and recall. Compute it for each class, "
            "then average.",
        ),
        Mistake(
            "arithmetic",
            "The F1 is the plain mean of precision and recall; it is their harmonic mean.",
            mutation=_averaged_scores(frozenset({"arithmetic"})),
        ),
        Mistake(
            "geometric",
            "The F1 is the root of precision times recall; it is their harmonic mean.",
            mutation=_averaged_scores(frozenset({"geometric"})),
        ),
        Mistake(
            "not_doubled",
            "The F1 lacks its factor of 2: it is 2PR/(P+R).",
            mutation=_averaged_scores(frozenset({"not_doubled"})),
        ),
        Mistake(
            "jaccard",
            "The F1 is hits / (called + there − hits), which is the Jaccard index. It is "
            "2 · hits / (called + there).",
            _from_counts(jaccard=True),
        ),
        Mistake(
            "cut",
            "The matrix is cut down to the chosen classes first, so confusions with the others "
            "vanish. Take the sums over whole rows and columns.",
            points=3,
        ),
        Mistake(
            "all_classes",
            "`classes` is not used: the average runs over all of them.",
            points=2,
        ),
        Mistake(
            "share_of_everything",
            "The weights of the chosen classes do not sum to 1: they are divided by all examples "
            "instead of those of these classes.",
            points=3,
        ),
        Mistake(
            "micro_accuracy",
            "`micro` gives the accuracy over all classes. Add up the hits, the predictions and "
            "the examples of the chosen classes, then divide.",
            points=2,
        ),
        Mistake(
            "micro_as_macro",
            "`micro` averages the classes. Add up the hits, the predictions and the examples of "
            "the chosen classes, then divide once.",
            points=3,
            mutation=_averaged_scores(frozenset({"micro_as_macro"})),
        ),
        Mistake(
            "empty_nan",
            "A class that never occurs or is never predicted gives 0/0. Its score is 0.",
            points=3,
        ),
        Mistake(
            "nan_from_counts",
            "A class that never occurs or is never predicted gives 0/0, which is NaN. Its score "
            "is 0.",
            _from_counts(math.nan),
            points=3,
        ),
        Mistake(
            "one_for_nothing",
            "A score that would be 0/0 is 1. It must be 0, and count in the average.",
            _from_counts(1.0),
            points=3,
        ),
        Mistake(
            "f1_nan",
            "Where precision and recall are both 0, the F1 is 0/0. It is 0.",
            points=3,
        ),
        Mistake(
            "present_only",
            "Classes that never occur are left out of the average. They count, with 0.",
            points=3,
            mutation=_averaged_scores(frozenset({"present_only"})),
        ),
        Mistake(
            "undefined_left_out",
            "A score that would be 0/0 is left out of its average. It counts, with 0.",
            _counted_otherwise(
                quotient=lambda one, other: one / other, averaged=_without_undefined
            ),
            points=3,
        ),
        Mistake(
            "weights_of_nothing",
            "If none of the chosen classes occurs, their weights are 0/0. The scores are 0.",
            _counted_otherwise(
                averaged=lambda scores, heavy, _: (scores * (heavy / heavy.sum())).sum(dim=1)
            ),
            points=3,
        ),
        Mistake(
            "macro_over_all",
            "The sum over the chosen classes is divided by the number of *all* classes.",
            _counted_otherwise(
                averaged=lambda scores, heavy, size: (
                    scores.sum(dim=1) / size
                    if bool((heavy == 1).all())
                    else (scores * heavy).sum(dim=1) / heavy.sum().clamp(min=1)
                )
            ),
            points=3,
        ),
        Mistake(
            "weights_by_hits",
            "The weights are how often a class was found. They are how often it occurs.",
            _counted_otherwise(weights=lambda counts: counts[0]),
        ),
        Mistake(
            "weights_turned",
            "Rare classes are heavier than frequent ones. Each class is as heavy as it has "
            "examples.",
            _counted_otherwise(weights=lambda counts: 1 / counts[2].clamp(min=1)),
        ),
        Mistake(
            "precision_of_everything",
            "Precision is hits divided by all examples. Divide by how often the class was "
            "predicted, its column's sum.",
            lambda confusion, classes, average: torch.cat(
                [
                    _counted_otherwise(counts=_everything_called)(confusion, classes, average)[:1],
                    _averaged_scores()(confusion, classes, average)[1:],
                ]
            ),
        ),
        Mistake(
            "whole_numbers",
            "The scores are rounded down to whole numbers (`//`). Divide with `/`.",
            _counted_otherwise(quotient=lambda one, other: one // other.clamp(min=1)),
        ),
        Mistake(
            "micro_recall",
            "`micro` gives the recall three times. Precision equals it only over *all* classes: "
            "the chosen ones are predicted more or less often than they occur.",
            _one_micro(1),
            points=3,
        ),
        Mistake(
            "micro_precision",
            "`micro` gives the precision three times. Recall equals it only over *all* classes: "
            "the chosen ones occur more or less often than they are predicted.",
            _one_micro(0),
            points=3,
        ),
        Mistake(
            "some_rows",
            "Only the rows of the chosen classes are kept, so predictions for examples of other "
            "classes vanish, and precision is too high. Sum over whole columns.",
            _counted_otherwise(counts=_some_rows),
            points=3,
        ),
        Mistake(
            "some_columns",
            "Only the columns of the chosen classes are kept, so examples taken for other classes "
            "vanish, and recall is too high. Sum over whole rows.",
            _counted_otherwise(counts=_some_columns),
            points=3,
        ),
        Mistake(
            "other_order",
            "The results come back in the wrong order: precision, recall, F1.",
            lambda *arguments: _averaged_scores()(*arguments)[[0, 2, 1]],
            other_forms=(lambda *arguments: _averaged_scores()(*arguments)[[2, 0, 1]],),
        ),
        Mistake(
            "per_class",
            "These are the scores of each class; the average over the classes is missing.",
            lambda confusion, classes, average: torch.stack(
                [_averaged_scores()(confusion, [c], "macro") for c in classes], dim=1
            ),
        ),
        Mistake(
            "precision_and_recall_exchanged",
            "Precision and recall come back in the wrong order: precision, recall, F1.",
            lambda *arguments: _averaged_scores()(*arguments)[[1, 0, 2]],
        ),
        Mistake(
            "percent",
            "These are percents; scores lie between 0 and 1.",
            lambda *arguments: 100 * _averaged_scores()(*arguments),
        ),
    ),
)
