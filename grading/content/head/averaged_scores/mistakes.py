"""The known mistakes of `averaged_scores`."""

from __future__ import annotations

from grading.content.common import kept_name
from grading.exercise import Mistake
from grading.exercise.edits import Edits

# What several mistakes rewrite
_HARMONIC = "2 * precision * recall / (precision + recall).clamp(min=1e-30)"
_F1_OF_COUNTS = "f1 = 2 * hits / (called + there).clamp(min=1)"
_MICRO = "hits, called, there = (t.sum(dim=0, keepdim=True) for t in (hits, called, there))"


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


COMBINED = (
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
)

MISTAKES = (
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
        "For `micro` the F1 is the plain mean of precision and recall; it is their harmonic mean.",
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
        "A class that never occurs or is never predicted gives 0/0, which is NaN. Its score is 0.",
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
        "Rare classes are heavier than frequent ones. Each class is as heavy as it has examples.",
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
    kept_name("average", "confusion", "    hits ="),
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
)
