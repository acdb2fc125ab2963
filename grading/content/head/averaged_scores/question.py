"""Exercise 3: precision, recall and F1, averaged over the classes that matter."""

from __future__ import annotations

import torch
from torch import Tensor

from grading.content.head.sections import SCORES
from grading.exercise import Case, Part, Question


def f1_score(precision, recall):
    """The harmonic mean of precision and recall, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall).clamp(min=1e-30)


def averaged_scores(confusion, classes, average):
    """Precision, recall and F1, averaged over some classes: [3]."""
    hits = confusion.diagonal()[classes]
    called, there = confusion.sum(dim=0)[classes], confusion.sum(dim=1)[classes]
    if average == "micro":
        hits, called, there = (t.sum(dim=0, keepdim=True) for t in (hits, called, there))
    precision = hits / called.clamp(min=1)
    recall = hits / there.clamp(min=1)
    f1 = f1_score(precision, recall)
    scores = torch.stack([precision, recall, f1])  # [3, classes]
    weights = there if average == "weighted" else torch.ones_like(there)
    averages = (scores * weights).sum(dim=1) / weights.sum().clamp(min=1)
    return averages


def _confusion(generator: torch.Generator, size: int) -> Tensor:
    """Many right, unequal classes, and errors that are not symmetric."""
    counts = torch.randint(1, 9, (size, size), generator=generator)
    counts += torch.diag(torch.randint(6, 20, (size,), generator=generator))
    counts[0] *= 4  # a class far larger than the others
    counts[0, 1] += 7
    return counts


def _few(generator: torch.Generator) -> Tensor:
    return torch.tensor([[0, 1, 0], [0, 0, 2], [1, 0, 0]]).roll(
        int(torch.randint(2, (), generator=generator)), 0
    )


_HOW = ("macro", "weighted", "macro")


def _scores_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, confusion, classes, average, again=()):
        arguments = (("confusion", confusion), ("classes", classes), ("average", average))
        return Case(title, part, arguments, again=again)

    one, two, three = (_confusion(generator, size) for size in (3, 4, 5))
    never_called, never_there, never_right = (_confusion(generator, 4) for _ in range(3))
    never_called[:, 2] = 0
    never_there[1] = 0
    never_right[3, 3] = 0
    never_right[1] = 0  # its weight is 0
    few = torch.eye(3, dtype=torch.int64) + _few(generator)  # so that 0.001 more would show
    nothing = torch.zeros(3, 3, dtype=torch.int64)
    first, *others = (_confusion(generator, 6) for _ in range(4))
    everything = list(range(6))
    again = tuple((other, everything, how) for other, how in zip(others, _HOW, strict=True))
    some = ((first, [3], "macro"), (others[0], [5], "micro"))
    nowhere = _confusion(generator, 5)
    nowhere[2], nowhere[:, 2] = 0, 0
    absent = torch.zeros(3, 3, dtype=torch.int64)  # nothing is right, and only class 0 occurs
    absent[0, 1:] = one[0, 1:]
    return [
        case("macro, three classes", "core", one, [0, 1, 2], "macro"),
        case("macro, five classes", "core", three, [0, 1, 2, 3, 4], "macro"),
        case("weighted, four classes", "core", two, [0, 1, 2, 3], "weighted"),
        case("weighted, a handful of examples", "core", few, [0, 1, 2], "weighted"),
        case("called again, other counts", "core", first, everything, "macro", again),
        case("called again, another class", "some", first, [4], "macro", some),
        case("macro, class 0 left out", "some", two, [3, 1, 2], "macro"),
        case("weighted, two classes left out", "some", three, [4, 1, 3], "weighted"),
        case("micro, class 0 left out", "some", three, [2, 4, 1, 3], "micro"),
        case("micro, all classes", "some", two, [0, 1, 2, 3], "micro"),
        case("one class alone", "some", three, [0], "macro"),
        case("a class that is never predicted", "zero", never_called, [0, 1, 2, 3], "macro"),
        case("a class that never occurs", "zero", never_there, [0, 1, 2, 3], "macro"),
        case(
            "a class never right, and one that never occurs",
            "zero",
            never_right,
            [0, 1, 2, 3],
            "weighted",
        ),
        case("a class that is nowhere", "zero", nowhere, [0, 1, 2, 3, 4], "macro"),
        case("none of the chosen classes occurs", "zero", absent, [1, 2], "weighted"),
        case(
            "none of the chosen classes is predicted",
            "zero",
            absent.T.contiguous(),
            [1, 2],
            "micro",
        ),
        case("no examples at all, micro", "zero", nothing, [0, 1, 2], "micro"),
    ]


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


QUESTION = Question(
    id="averaged_scores",
    title="Scores of the classes that matter",
    signature="averaged_scores(confusion, classes, average)",
    reference=averaged_scores,
    helpers=(f1_score,),
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
            _scores_in_python(confusion, classes, average)
            if average == "micro"
            else _one_class_at_a_time(confusion, classes, average)
        ),
    },
)
