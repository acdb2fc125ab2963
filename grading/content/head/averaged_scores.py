"""Exercise 3: precision, recall and F1, averaged over the classes that matter."""

from __future__ import annotations

import torch
from torch import Tensor

from grading.content.common import kept
from grading.content.head.sections import SCORES
from grading.exercise import Case, Exercise, Mistake, Part
from grading.exercise.edits import Edits


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


# What several mistakes rewrite
_HARMONIC = "2 * precision * recall / (precision + recall).clamp(min=1e-30)"
_F1_OF_COUNTS = "f1 = 2 * hits / (called + there).clamp(min=1)"
_MICRO = "hits, called, there = (t.sum(dim=0, keepdim=True) for t in (hits, called, there))"


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


def _as_range(bounds: str) -> str:
    return f"    classes = list(range({bounds}))\n    hits ="


def _with_more(number: float, own_f1: bool = False) -> Edits:
    """Denominators with something added to them; F1 from counts, or from both scores."""
    edits = [
        ("hits / called.clamp(min=1)", f"hits / (called + {number})"),
        ("hits / there.clamp(min=1)", f"hits / (there + {number})"),
    ]
    f1 = f"2 * hits / (called + there + {number})"
    return [*edits, ("f1 = f1_score(precision, recall)", f"f1 = {f1}")] if own_f1 else edits


EXERCISE = Exercise(
    id="averaged_scores",
    title="Scores of the classes that matter",
    signature="averaged_scores(confusion, classes, average)",
    reference=averaged_scores,
    helpers=(f1_score,),
    combined=(
        "exchanged",
        "macro_always",
        "weights_by_predictions",
        "f1_of_averages",
        "cut",
        "all_classes",
        "share_of_everything",
        "micro_accuracy",
        "empty_nan",
        "f1_nan",
    ),
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
    mistakes=(
        Mistake(
            "weighted_by_denominators",
            "Each score is weighted by what it is divided by: precision by how often a class is "
            "predicted. All three are weighted by the examples of the class.",
            [
                (
                    'weights = there if average == "weighted" else torch.ones_like(there)',
                    "weights = torch.stack([called, there, called + there]) * 1.0\n"
                    '    weights = weights if average == "weighted" else torch.ones_like(scores)',
                ),
                ("weights.sum()", "weights.sum(dim=1)"),
            ],
        ),
        Mistake(
            "exchanged",
            "Rows and columns are exchanged, so precision and recall are, too. A row is a label, "
            "a column a prediction: precision divides by the column's sum.",
            [("    called, there =", "    there, called =")],
        ),
        Mistake(
            "macro_always",
            "`weighted` gives the plain average of the classes.",
            [
                (
                    'there if average == "weighted" else torch.ones_like(there)',
                    "torch.ones_like(there)",
                )
            ],
        ),
        Mistake(
            "weighted_always",
            "`macro` is weighted; there every class counts the same.",
            [('there if average == "weighted" else torch.ones_like(there)', "there")],
        ),
        Mistake(
            "weights_by_predictions",
            "The weights are how often a class was predicted. They are how often it occurs.",
            [("there if average", "called if average")],
        ),
        Mistake(
            "weights_not_normalised",
            "The weighted scores are added up and not divided by the sum of the weights.",
            [("weights.sum().clamp(min=1)", '(1 if average == "weighted" else len(weights))')],
        ),
        Mistake(
            "f1_of_averages",
            "The F1 is computed from averaged precision and recall. Compute it for each class, "
            "then average.",
            [
                (
                    "    return averages",
                    "    precision, recall, _ = averages\n"
                    "    averages[2] = f1_score(precision, recall)\n"
                    "    return averages",
                )
            ],
            other_forms=(
                [
                    (
                        "    return averages",
                        '    if average == "weighted":\n'
                        "        averages[2] = f1_score(averages[0], averages[1])\n"
                        "    return averages",
                    )
                ],
            ),
        ),
        Mistake(
            "arithmetic",
            "The F1 is the plain mean of precision and recall; it is their harmonic mean.",
            [(_HARMONIC, "(precision + recall) / 2")],
        ),
        Mistake(
            "micro_arithmetic",
            "For `micro` the F1 is the plain mean of precision and recall; it is their harmonic "
            "mean.",
            [
                (
                    "f1 = f1_score(precision, recall)",
                    "f1 = f1_score(precision, recall)\n"
                    '    if average == "micro":\n'
                    "        f1 = (precision + recall) / 2",
                )
            ],
            points=3,
        ),
        Mistake(
            "geometric",
            "The F1 is the root of precision times recall; it is their harmonic mean.",
            [(_HARMONIC, "(precision * recall).sqrt()")],
        ),
        Mistake(
            "not_doubled",
            "The F1 lacks its factor of 2: it is 2PR/(P+R).",
            [("2 * precision * recall", "precision * recall")],
        ),
        Mistake(
            "jaccard",
            "The F1 is hits / (called + there − hits), which is the Jaccard index. It is "
            "2 · hits / (called + there).",
            [
                (
                    "f1 = f1_score(precision, recall)",
                    "f1 = hits / (called + there - hits).clamp(min=1)",
                )
            ],
        ),
        Mistake(
            "cut",
            "The matrix is cut down to the chosen classes first, so confusions with the others "
            "vanish. Take the sums over whole rows and columns.",
            [
                (
                    "    hits =",
                    "    confusion = confusion[classes][:, classes]\n"
                    "    classes = list(range(len(confusion)))\n"
                    "    hits =",
                )
            ],
            points=3,
        ),
        Mistake(
            "all_classes",
            "`classes` is not used: the average runs over all of them.",
            [("    hits =", "    classes = list(range(len(confusion)))\n    hits =")],
            points=3,
        ),
        Mistake(
            "share_of_everything",
            "The weights of the chosen classes do not sum to 1: they are divided by all examples "
            "instead of those of these classes.",
            [
                (
                    "weights.sum().clamp(min=1)",
                    '(confusion.sum().clamp(min=1) if average == "weighted" else len(weights))',
                )
            ],
            points=3,
        ),
        Mistake(
            "micro_accuracy",
            "`micro` divides by the number of all examples, as an accuracy does. Add up the hits, "
            "the predictions and the examples of the chosen classes, then divide.",
            [
                (
                    _MICRO,
                    "hits = confusion.diagonal().sum(dim=0, keepdim=True)\n"
                    "        called = there = confusion.sum(dim=(0, 1)).view(1)",
                )
            ],
            other_forms=(
                [
                    (
                        _MICRO,
                        "hits = hits.sum(dim=0, keepdim=True)\n"
                        "        called = there = confusion.sum(dim=(0, 1)).view(1)",
                    )
                ],
            ),
            points=3,
        ),
        Mistake(
            "micro_as_macro",
            "`micro` averages the classes. Add up the hits, the predictions and the examples of "
            "the chosen classes, then divide once.",
            [(f'    if average == "micro":\n        {_MICRO}\n', "")],
            points=3,
        ),
        Mistake(
            "empty_nan",
            "A class that never occurs or is never predicted gives 0/0. Its score is 0.",
            [
                ("hits / called.clamp(min=1)", "hits / called"),
                ("hits / there.clamp(min=1)", "hits / there"),
                (".clamp(min=1e-30)", ""),
            ],
            points=3,
        ),
        Mistake(
            "nan_from_counts",
            "A class that never occurs or is never predicted gives 0/0, which is NaN. Its score "
            "is 0.",
            [
                ("hits / called.clamp(min=1)", "hits / called"),
                ("hits / there.clamp(min=1)", "hits / there"),
                ("f1 = f1_score(precision, recall)", "f1 = 2 * hits / (called + there)"),
            ],
            other_forms=(  # one of the two only
                [
                    ("hits / called.clamp(min=1)", "hits / called"),
                    ("f1 = f1_score(precision, recall)", _F1_OF_COUNTS),
                ],
                [
                    ("hits / there.clamp(min=1)", "hits / there"),
                    ("f1 = f1_score(precision, recall)", _F1_OF_COUNTS),
                ],
            ),
            points=3,
        ),
        Mistake(
            "average_nan_to_num",
            "`nan_to_num` comes after the average, and one class whose score is 0/0 has made all "
            "of it NaN by then, so it is 0. Each score that would be 0/0 is 0, before they are "
            "averaged.",
            [
                ("hits / called.clamp(min=1)", "hits / called"),
                ("hits / there.clamp(min=1)", "hits / there"),
                ("f1 = f1_score(precision, recall)", "f1 = 2 * hits / (called + there)"),
                ("return averages", "return averages.nan_to_num()"),
            ],
            other_forms=(
                [
                    ("hits / called.clamp(min=1)", "hits / called"),
                    ("hits / there.clamp(min=1)", "hits / there"),
                    (".clamp(min=1e-30)", ""),
                    ("return averages", "return averages.nan_to_num()"),
                ],
            ),
            points=3,
        ),
        Mistake(
            "one_for_nothing",
            "A score that would be 0/0 is 1. It must be 0, and count in the average.",
            [
                ("hits / called.clamp(min=1)", "torch.where(called > 0, hits / called, 1.0)"),
                ("hits / there.clamp(min=1)", "torch.where(there > 0, hits / there, 1.0)"),
                (
                    "f1 = f1_score(precision, recall)",
                    "f1 = torch.where(called + there > 0, 2 * hits / (called + there), 1.0)",
                ),
            ],
            points=3,
        ),
        Mistake(
            "f1_by_one_at_least",
            "The sum of precision and recall is clamped at 1, and so the F1 is too small where "
            "they sum to less. Only a sum of 0 must not divide.",
            [(".clamp(min=1e-30)", ".clamp(min=1)")],
        ),
        Mistake(
            "f1_nan",
            "Where precision and recall are both 0, the F1 is 0/0. It is 0.",
            [(".clamp(min=1e-30)", "")],
            points=3,
        ),
        Mistake(
            "present_only",
            "Classes that never occur, or are never predicted either, are left out of the average. "
            "They count, with 0.",
            [("torch.ones_like(there)", "(there > 0).long()")],
            other_forms=([("torch.ones_like(there)", "(there + called > 0).long()")],),
            points=3,
        ),
        Mistake(
            "undefined_left_out",
            "A score that would be 0/0 is left out of its average. It counts, with 0.",
            [
                ("hits / called.clamp(min=1)", "hits / called"),
                ("hits / there.clamp(min=1)", "hits / there"),
                ("f1 = f1_score(precision, recall)", "f1 = 2 * hits / (called + there)"),
                (
                    "    averages = (scores * weights).sum(dim=1) / weights.sum().clamp(min=1)",
                    "    weights = weights * ~scores.isnan()\n"
                    "    total = (scores.nan_to_num() * weights).sum(dim=1)\n"
                    "    averages = total / weights.sum(dim=1).clamp(min=1)",
                ),
            ],
            points=3,
        ),
        Mistake(
            "weights_of_nothing",
            "If none of the chosen classes occurs, their weights are 0/0. The scores are 0.",
            [("weights.sum().clamp(min=1)", "weights.sum()")],
            points=3,
        ),
        Mistake(
            "weights_in_another_order",
            "The scores stand in the order of `classes`, and the weights in ascending order of the "
            "classes. Each class needs its own weight.",
            [("there if average", "confusion.sum(dim=1)[sorted(classes)] if average")],
            points=3,
        ),
        Mistake(
            "macro_over_all",
            "The sum over the chosen classes is divided by the number of *all* classes.",
            [
                (
                    "weights.sum().clamp(min=1)",
                    '(len(confusion) if average == "macro" else weights.sum().clamp(min=1))',
                )
            ],
            points=3,
        ),
        Mistake(
            "weights_by_hits",
            "The weights are how often a class was found. They are how often it occurs.",
            [("there if average", "hits if average")],
        ),
        Mistake(
            "weights_turned",
            "Rare classes are heavier than frequent ones. Each class is as heavy as it has "
            "examples.",
            [
                ("there if average", "1 / there.clamp(min=1) if average"),
                ("weights.sum().clamp(min=1)", "weights.sum()"),
            ],
        ),
        Mistake(
            "precision_of_everything",
            "Precision is hits divided by all examples. Divide by how often the class was "
            "predicted, its column's sum.",
            [("[precision,", "[hits / confusion.sum(),")],
        ),
        Mistake(
            "whole_numbers",
            "The scores are rounded down to whole numbers (`//`). Divide with `/`.",
            [
                ("hits / called.clamp(min=1)", "hits // called.clamp(min=1)"),
                ("hits / there.clamp(min=1)", "hits // there.clamp(min=1)"),
                (
                    "f1 = f1_score(precision, recall)",
                    "f1 = 2 * hits // (called + there).clamp(min=1)",
                ),
            ],
        ),
        Mistake(
            "micro_recall",
            "`micro` gives the recall three times. Precision equals it only over *all* classes: "
            "the chosen ones are predicted more or less often than they occur.",
            [("return averages", 'return averages[[1, 1, 1]] if average == "micro" else averages')],
            points=3,
        ),
        Mistake(
            "micro_precision",
            "`micro` gives the precision three times. Recall equals it only over *all* classes: "
            "the chosen ones occur more or less often than they are predicted.",
            [("return averages", 'return averages[[0, 0, 0]] if average == "micro" else averages')],
            points=3,
        ),
        Mistake(
            "number_in_denominators",
            "Something is added to what the scores are divided by, so all of them are too small; "
            "only a denominator of 0 needs help.",
            _with_more(1),
            other_forms=(
                *map(_with_more, (1e-2, 1e-3, 1e-4)),
                *(_with_more(number, own_f1=True) for number in (1, 1e-2, 1e-3, 1e-4)),
            ),
        ),
        Mistake(
            "class_0_left_out",
            "Class 0 is always left out. Which classes count is said by `classes`.",
            [("    hits =", "    classes = [c for c in classes if c]\n    hits =")],
        ),
        Mistake(
            "first_classes",
            "The first classes of the matrix are taken, as many as `classes` has; it holds their "
            "numbers.",
            [("    hits =", "    classes = list(range(len(classes)))\n    hits =")],
            points=3,
        ),
        Mistake(
            "range_of_classes",
            "`classes` is taken for a range, and classes that it does not hold are averaged with "
            "the others, or stand in for some of them. It lists the numbers of single classes.",
            [("    hits =", _as_range("min(classes), max(classes) + 1"))],
            other_forms=(
                [("    hits =", _as_range("classes[0], classes[-1] + 1"))],
                [("    hits =", _as_range("min(classes), min(classes) + len(classes)"))],
            ),
            points=3,
        ),
        Mistake(
            "all_but_the_first",
            "Where not all classes are asked for, all but class 0 are taken. `classes` says which: "
            "others may be left out, and class 0 may be there.",
            [
                (
                    "    hits =",
                    "    if len(classes) < len(confusion):\n"
                    "        classes = list(range(1, len(confusion)))\n"
                    "    hits =",
                )
            ],
            points=3,
        ),
        kept(
            [
                ("average):", "average, kept={}):"),
                (
                    "    hits =",
                    "    confusion = kept.setdefault(confusion.shape, confusion)\n    hits =",
                ),
            ],
        ),
        Mistake(
            "some_rows",
            "Only the rows of the chosen classes are kept, so predictions for examples of other "
            "classes vanish, and precision is too high. Sum over whole columns.",
            [("confusion.sum(dim=0)", "confusion[classes].sum(dim=0)")],
            points=3,
        ),
        Mistake(
            "some_columns",
            "Only the columns of the chosen classes are kept, so examples taken for other classes "
            "vanish, and recall is too high. Sum over whole rows.",
            [("confusion.sum(dim=1)", "confusion[:, classes].sum(dim=1)")],
            points=3,
        ),
        Mistake(
            "other_order",
            "The results come back in the wrong order: precision, recall, F1.",
            [("return averages", "return averages[[0, 2, 1]]")],
            other_forms=([("return averages", "return averages[[2, 0, 1]]")],),
        ),
        Mistake(
            "per_class",
            "These are the scores of each class; the average over the classes is missing.",
            [("return averages", "return scores")],
            other_forms=(
                [
                    (f'    if average == "micro":\n        {_MICRO}\n', ""),
                    ("return averages", "return scores"),
                ],
            ),
        ),
        Mistake(
            "precision_and_recall_exchanged",
            "Precision and recall come back in the wrong order: precision, recall, F1.",
            [("return averages", "return averages[[1, 0, 2]]")],
        ),
        Mistake(
            "percent",
            "These are percents; scores lie between 0 and 1.",
            [("return averages", "return 100 * averages")],
        ),
    ),
)
