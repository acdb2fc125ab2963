"""Exercise 4: a ridge regression as a probe, and the same probe for labels drawn by word type."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

import torch
import torch.nn.functional as F

from grading.content.common import changed_in_place, kept
from grading.content.drawing import draw_integer
from grading.content.looking_inside import harnesses
from grading.content.looking_inside.sections import CONTROL_LABELS
from grading.content.looking_inside.shared import mutation_of, normal
from grading.exercise import Case, Exercise, Mistake, Part


def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    """The probe's scores for the test examples; its accuracy, the control's, selectivity."""
    train = states[~is_test]
    mean, std = train.mean(0), train.std(0, correction=0)
    constant = (train == train[0]).all(0)
    x = (states - mean) / std.masked_fill(constant, 1.0)
    x = x.masked_fill(constant, 0.0)
    x_train, x_test = x[~is_test], x[is_test]
    gram = x_train.T @ x_train + penalty * torch.eye(x.size(1))

    def probe(of_examples):
        y = F.one_hot(of_examples[~is_test], num_labels).to(states.dtype)
        b = y.mean(0)
        w = torch.linalg.solve(gram, x_train.T @ (y - b))
        scores = x_test @ w + b
        right = scores.argmax(1) == of_examples[is_test]
        return scores, right.float().mean()

    scores, accuracy = probe(labels)
    _, control = probe(control_labels[word_ids])
    return scores, torch.stack([accuracy, control, accuracy - control])


def _examples(
    generator: torch.Generator,
    examples: int,
    hidden: int,
    words: int,
    num_labels: int,
    more: float = 1.0,
) -> list:
    """States that say something about the word and something about the label.

    Columns have means and sizes of their own, and test examples other means, so that it shows where
    both are taken from.
    """
    word_ids = torch.randint(words, (examples,), generator=generator)
    class_of_word = torch.randint(num_labels, (words,), generator=generator)
    labels = torch.where(
        torch.rand(examples, generator=generator) < 0.8,
        class_of_word[word_ids],
        torch.randint(num_labels, (examples,), generator=generator),
    )
    control = torch.randint(num_labels, (words,), generator=generator)
    is_test = torch.rand(examples, generator=generator) < 0.35
    states = normal(generator, words, hidden)[word_ids]
    states = states + more * normal(generator, num_labels, hidden)[labels]
    states = states + normal(generator, examples, hidden, size=0.8)
    states = states + 0.7 * is_test[:, None] * normal(generator, hidden)
    sizes = 0.3 + 3 * torch.rand(hidden, generator=generator)
    sizes[0] = 0.02  # a column next to which an eps shows
    states = (states + 2 * normal(generator, hidden)) * sizes
    penalty = 0.5 * draw_integer(generator, 2, 12)
    return [states, labels, word_ids, control, is_test, num_labels, penalty]


def _is_safe(arguments: list) -> bool:
    """Whether no class is chosen by a hair."""
    states, _, word_ids, control, is_test, num_labels, penalty = arguments
    swapped = [states, control[word_ids], word_ids, control, is_test, num_labels, penalty]
    best_two = [probe_with_control(*a)[0].topk(2).values for a in (arguments, swapped)]
    return min(float(-two.diff(dim=1).max()) for two in best_two) > 2e-3


def _has_all_classes(arguments: list) -> bool:
    """Whether each class, real or random, is that of a training example.

    Where one isn't, an answer that is wrong about missing classes shows it, and that is for one
    case of one part.
    """
    _, labels, word_ids, control, is_test, num_labels, _ = arguments
    return all(
        len(classes[~is_test].unique()) == num_labels for classes in (labels, control[word_ids])
    )


def _shows_rounding(arguments: list) -> bool:
    """Whether it spoils the scores that a constant column is divided by something tiny."""
    right = probe_with_control(*arguments)[0]
    others = [_wrong(name)(*arguments)[0] for name in _CONSTANT]
    return all(not torch.allclose(right, other, atol=1e-2) for other in others)


# Of these, each result in its part must be far from what is right.
_ACCURACY = ("training_accuracy", "accuracy_of_all")
_CONTROL = (
    "control_by_label",
    "control_by_example",
    "control_not_trained",
    "control_on_labels",
    "control_on_training",
    "selectivity_turned",
    "ratio",
)
_CONSTANT = ("tiny_divisor", "tiny_divisor~1", "tiny_divisor~2", "tiny_divisor~3")


def _probe_cases(generator: torch.Generator) -> list[Case]:
    names = (
        "states", "labels", "word_ids", "control_labels", "is_test", "num_labels", "penalty"
    )  # fmt: skip

    def draw(*sizes, wrong=(), change=lambda arguments: None, negative=False, apart=False):
        for _ in range(500):
            arguments = _examples(generator, *sizes)
            change(arguments)
            tests = int(arguments[4].sum())
            if not 5 < tests < sizes[0] - 8 or not _is_safe(arguments):
                continue
            if change is not without_a_class and not _has_all_classes(arguments):
                continue
            accuracies = probe_with_control(*arguments)[1]
            others = [_wrong(name)(*arguments)[1] for name in wrong]
            steps = [float((accuracies - other).abs().max()) > 0.02 for other in others]
            if apart:
                pairs = itertools.combinations(others, 2)
                steps += [float((one - other).abs().max()) > 0.02 for one, other in pairs]
            selectivity = float(accuracies[2]) * (-1 if negative else 1)
            if change is constant and not _shows_rounding(arguments):
                continue
            if all(steps) and 0.3 < accuracies[0] < 1 and selectivity > 0.02:
                return arguments
        raise ValueError("No examples were found that show these mistakes.")

    def case(title, part, harness, arguments, **options):
        pairs = tuple(zip(names, arguments, strict=True))
        return Case(title, part, pairs, harness=harness, **options)

    def constant(arguments):
        states, is_test = arguments[0], arguments[4]
        is_test[0] = True  # so the first example can't tell which columns are constant
        states[:, 1] = 2.5
        states[:, 4] *= 1e-10  # small, but not constant
        states[:, 2] *= 1e-14
        states[is_test, 3] *= 1000
        for tenth in range(1, 100):  # a number of which the mean is rounded
            states[~is_test, 3] = tenth / 10
            if float(states[~is_test].mean(0)[3]) != float(states[~is_test][0, 3]):
                return

    def with_a_new_word(arguments):
        arguments[4][arguments[2] == 0] = True

    def without_a_class(arguments):
        """The last class isn't there at all, the one before it among the test examples only."""
        labels, is_test = arguments[1], arguments[4]
        last = arguments[5] - 1
        labels[~is_test & (labels == last)] = 0
        labels[is_test.nonzero()[0]] = last
        arguments[5] += 1

    def with_as_many_tests(arguments):
        arguments[4] = again[0][4].roll(5)  # so the same shapes

    scores, accuracy = harnesses.probe_scores, harnesses.probe_accuracy
    both = harnesses.control_accuracies
    of_three = draw(48, 7, 9, 3, wrong=(*_ACCURACY, *_CONTROL), apart=True)
    of_four = draw(
        60, 9, 12, 4, wrong=(*_ACCURACY, *_CONTROL, "control_on_seen_words"), change=with_a_new_word
    )
    of_two = draw(40, 6, 8, 2, 0.0, wrong=("control_not_trained",), negative=True)
    again = [draw(36, 5, 7, 3)]
    again.append(draw(36, 5, 7, 3, change=with_as_many_tests))
    return [
        case("three labels", "core", scores, of_three),
        case("four labels", "core", scores, of_four),
        case("two labels", "core", scores, of_two),
        case("called again, other examples", "core", scores, again[0], again=(tuple(again[1]),)),
        case("accuracy, three labels", "accuracy", accuracy, of_three),
        case("accuracy, four labels", "accuracy", accuracy, of_four),
        case("control, three labels", "control", both, of_three),
        case("control, four labels", "control", both, of_four),
        case("control, two labels", "control", both, of_two),
        case(
            "a constant column",
            "corner",
            harnesses.probe_scores_of_constants,
            draw(40, 6, 8, 3, change=constant),
        ),
        case(
            "two classes without training examples",
            "corner",
            scores,
            draw(44, 6, 9, 4, change=without_a_class),
        ),
        case("more columns than examples", "corner", scores, draw(24, 30, 6, 3)),
    ]


@functools.cache
def _wrong(name: str) -> Callable:
    return EXERCISE.mutant(mutation_of(EXERCISE, name))


def _by_least_squares(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    """Ridge regression as ordinary least squares with rows added for the penalty."""
    states = states.double()
    train, test = states[~is_test], states[is_test]
    mean = train.mean(0)
    std = ((train - mean) ** 2).mean(0).sqrt()
    varies = train.amax(0) > train.amin(0)
    train, test = (((part - mean) / std)[:, varies] for part in (train, test))
    size = train.size(1)
    rows = torch.cat([train, penalty**0.5 * torch.eye(size, dtype=torch.float64)])
    results = []
    for target in (labels, control_labels[word_ids]):
        y = (target[~is_test, None] == torch.arange(num_labels)).double()
        b = y.mean(0)
        right_side = torch.cat([y - b, torch.zeros(size, num_labels, dtype=torch.float64)])
        scores = test @ torch.linalg.lstsq(rows, right_side, driver="gelsd").solution + b
        results.append((scores, (scores.argmax(1) == target[is_test]).double().mean()))
    (scores, one), (_, other) = results
    return scores.float(), torch.stack([one, other, one - other]).float()


def _by_svd(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    """Ridge regression by the singular values of the training states."""
    train, test = states[~is_test], states[is_test]
    varies = (train != train[:1]).any(0)
    scale = torch.where(varies, 1 / train.std(0, unbiased=False), 0.0)
    center = train.mean(0)
    u, s, vt = torch.linalg.svd((train - center) * scale, full_matrices=False)
    x = (test - center) * scale

    def fitted(target):
        y = torch.eye(num_labels)[target[~is_test]]
        shrunk = (s / (s**2 + penalty))[:, None] * (u.T @ (y - y.mean(0)))
        return x @ (vt.T @ shrunk) + y.mean(0)

    def accuracy(scores, target):
        hits = [int(row.argmax()) == int(t) for row, t in zip(scores, target[is_test], strict=True)]
        return sum(hits) / len(hits)

    scores, control = fitted(labels), control_labels[word_ids]
    a, c = accuracy(scores, labels), accuracy(fitted(control), control)
    return scores, torch.tensor([a, c, a - c])


def _by_kernel(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    """In the dual: a matrix of examples instead of columns; the penalised bias left out."""
    train_ids, test_ids = (~is_test).nonzero()[:, 0], is_test.nonzero()[:, 0]
    x = states[train_ids]
    low, high = x.min(0).values, x.max(0).values
    keep = low < high
    mean, std = x[:, keep].mean(0), x[:, keep].var(0, correction=0).sqrt()
    x, z = (x[:, keep] - mean) / std, (states[test_ids][:, keep] - mean) / std
    found = []
    for target in [labels, torch.stack([control_labels[w] for w in word_ids])]:
        y = torch.zeros(len(train_ids), num_labels)
        y[range(len(train_ids)), target[train_ids]] = 1.0
        b = y.sum(0, keepdim=True) / len(y)
        alpha = torch.linalg.solve(x @ x.T + penalty * torch.eye(len(x)), y - b)
        found.append(z @ x.T @ alpha + b)
        found.append((found[-1].max(1).indices == target[test_ids]).sum() / len(test_ids))
    return found[0], torch.tensor([found[1], found[3], found[1] - found[3]])


_MEAN = "mean, std = train.mean(0), train.std(0, correction=0)"
_SOLVE = "w = torch.linalg.solve(gram, x_train.T @ (y - b))"
_RESULT = "torch.stack([accuracy, control, accuracy - control])"
_CONTROL_PROBE = "_, control = probe(control_labels[word_ids])"
_CONSTANT_LINE = "constant = (train == train[0]).all(0)"
_ACCURACY_LINE = "right.float().mean()"
_EYE = "penalty * torch.eye(x.size(1))"
_STANDARD = (
    "    x = (states - mean) / std.masked_fill(constant, 1.0)\n"
    "    x = x.masked_fill(constant, 0.0)\n"
)

EXERCISE = Exercise(
    id="probe_with_control",
    title="A probe, and what it would have found anyway",
    signature=(
        "probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty)"
    ),
    reference=probe_with_control,
    combined=(
        "statistics_of_all",
        "trained_on_all",
        "not_standardised",
        "unbiased",
        "no_bias",
        "training_accuracy",
        "control_by_label",
        "control_not_trained",
        "selectivity_turned",
        "constant_nan",
    ),
    cases=_probe_cases,
    parts=(
        Part("core", "the probe's scores", 2),
        Part("accuracy", "accuracy", 1),
        Part("control", "the control and the selectivity", 1),
        Part("corner", "constant columns, missing classes, many columns", 1),
    ),
    minutes=25,
    difficulty=2,
    section=CONTROL_LABELS,
    tolerance=1e-4,
    draws=3,
    alternatives={
        "least squares with added rows": _by_least_squares,
        "singular values": _by_svd,
        "a matrix of examples": _by_kernel,
    },
    mistakes=(
        Mistake(
            "statistics_of_all",
            "Mean and standard deviation are computed from all examples. The test examples may "
            "have no influence on anything that is fitted, these two included.",
            [(_MEAN, "mean, std = states.mean(0), states.std(0, correction=0)")],
            equivalent=(
                [
                    (_MEAN, "mean, std = states.mean(0), states.std(0, correction=0)"),
                    ("constant = (train == train[0])", "constant = (states == states[0])"),
                ],
            ),
        ),
        Mistake(
            "own_statistics",
            "The test examples are standardised with their own mean and standard deviation. Those "
            "of the training examples are used for both.",
            [
                (
                    "x_train, x_test = x[~is_test], x[is_test]",
                    "x_train, x_test = x[~is_test], x[is_test]\n"
                    "    x_test = (x_test - x_test.mean(0)) / "
                    "x_test.std(0, correction=0).clamp(min=1e-6)",
                )
            ],
        ),
        Mistake(
            "test_not_standardised",
            "The test examples aren't standardised. What is done to the training states before "
            "the fit must be done to them, too, with the same numbers.",
            [
                (
                    "x_train, x_test = x[~is_test], x[is_test]",
                    "x_train, x_test = x[~is_test], states[is_test]",
                )
            ],
        ),
        Mistake(
            "trained_on_all",
            "The probe is fitted to all examples, those of the test included.",
            [
                ("x_train, x_test = x[~is_test], x[is_test]", "x_train, x_test = x, x[is_test]"),
                ("of_examples[~is_test]", "of_examples"),
            ],
        ),
        Mistake(
            "exchanged",
            "Training and test examples are exchanged: `is_test` is true for those that are held "
            "back.",
            [
                ("    train =", "    is_test = ~is_test\n    train ="),
            ],
        ),
        Mistake(
            "not_standardised",
            "The states aren't standardised. Subtract the mean and divide by the standard "
            "deviation of each column: the penalty treats all columns alike.",
            [(_STANDARD, "    x = states\n")],
            other_forms=([(_STANDARD, "    x = (states - mean).masked_fill(constant, 0.0)\n")],),
        ),
        Mistake(
            "by_rows",
            "Each example is standardised by itself, over its columns. Standardise each column, "
            "over the training examples.",
            [
                (
                    _STANDARD,
                    "    x = states - states.mean(1, keepdim=True)\n"
                    "    x = x / states.std(1, correction=0, keepdim=True)\n",
                )
            ],
        ),
        Mistake(
            "one_mean_for_all",
            "There is one mean and one standard deviation for all columns. Each column has its "
            "own.",
            [(_MEAN, "mean, std = train.mean(), train.std(correction=0).expand(train.size(1))")],
        ),
        Mistake(
            "unbiased",
            "The standard deviation is divided by n − 1 under the root. Here it's n: "
            "`correction=0`.",
            [("train.std(0, correction=0)", "train.std(0)")],
        ),
        Mistake(
            "epsilon",
            "Something is added to the standard deviations. Only a constant column needs help.",
            [(_MEAN, "mean, std = train.mean(0), train.std(0, correction=0) + 1e-2")],
            other_forms=(
                [(_MEAN, "mean, std = train.mean(0), train.std(0, correction=0) + 1e-3")],
                [(_MEAN, "mean, std = train.mean(0), train.std(0, correction=0) + 1e-4")],
                [(_MEAN, "mean, std = train.mean(0), train.std(0, correction=0) + 1")],
            ),
        ),
        Mistake(
            "variance",
            "The states are divided by the variance. Divide by the standard deviation, its root.",
            [("train.std(0, correction=0)", "train.var(0, correction=0)")],
        ),
        Mistake(
            "no_bias",
            "The bias is missing: the labels aren't centred, or `b` isn't added to the scores.",
            [("b = y.mean(0)", "b = 0.0")],
            other_forms=([("scores = x_test @ w + b", "scores = x_test @ w")],),
        ),
        Mistake(
            "bias_penalised",
            "The bias is fitted as one more weight, and penalised like the others. It isn't: `b` "
            "is the mean of the rows of Y.",
            [
                (
                    _SOLVE,
                    "ones = torch.cat([x_train, torch.ones(len(x_train), 1)], 1)\n"
                    "        whole = ones.T @ ones + penalty * torch.eye(ones.size(1))\n"
                    "        w = torch.linalg.solve(whole, ones.T @ y)\n"
                    "        w, b = w[:-1], w[-1]",
                )
            ],
        ),
        Mistake(
            "wrong_bias",
            "The bias is the same share for every class. It's the mean of the rows of Y, how "
            "frequent each class is among the training examples.",
            [("b = y.mean(0)", "b = 1 / num_labels")],
        ),
        Mistake(
            "bias_of_all",
            "The bias is how frequent each class is among all examples. The test examples may "
            "have no influence on it: it's the mean of the rows of Y, the training examples.",
            [("b = y.mean(0)", "b = F.one_hot(of_examples, num_labels).float().mean(0)")],
        ),
        Mistake(
            "no_penalty",
            "The penalty is missing: this is least squares without ridge. Add λ to the diagonal of "
            "XᵀX.",
            [(_EYE, f"1e-6 * {_EYE}")],
            other_forms=(
                [(_SOLVE, "w = torch.linalg.pinv(x_train) @ (y - b)")],
                [(_SOLVE, "w = torch.linalg.lstsq(x_train, y - b, driver='gelsd').solution")],
            ),
            any_error=True,
        ),
        Mistake(
            "penalty_everywhere",
            "The penalty is added to all entries of XᵀX. It belongs on the diagonal: λ times the "
            "identity.",
            [(_EYE, "penalty")],
        ),
        Mistake(
            "penalty_of_the_mean",
            "The penalty is multiplied by the number of examples, as if the squared errors were "
            "averaged. They're summed.",
            [(_EYE, f"len(x_train) * {_EYE}")],
            other_forms=(
                [(_EYE, f"len(states) * {_EYE}")],
                [(_EYE, f"{_EYE} / len(x_train)")],
            ),
        ),
        Mistake(
            "penalty_squared",
            "The penalty isn't λ itself but its square, its root, half or twice of it. It's λ "
            "times the identity.",
            [(_EYE, f"penalty * {_EYE}")],
            other_forms=(
                [(_EYE, f"2 * {_EYE}")],
                [(_EYE, f"0.5 * {_EYE}")],
                [(_EYE, "penalty**0.5 * torch.eye(x.size(1))")],
            ),
        ),
        Mistake(
            "plus_minus_one",
            "The labels are fitted as −1 and 1. One-hot labels are 0 and 1.",
            [
                (
                    "y = F.one_hot(of_examples[~is_test], num_labels)",
                    "y = (2 * F.one_hot(of_examples[~is_test], num_labels) - 1)",
                )
            ],
        ),
        Mistake(
            "softmaxed",
            "A softmax is applied to the scores. They are the numbers of the regression, xW + b.",
            [
                (
                    "scores, accuracy = probe(labels)\n",
                    "scores, accuracy = probe(labels)\n    scores = scores.softmax(1)\n",
                )
            ],
        ),
        Mistake(
            "scores_of_all",
            "The scores of all examples come back, or of the training examples. Asked for are "
            "those of the test examples.",
            [("return scores, right", "return x @ w + b, right")],
            other_forms=([("return scores, right", "return x_train @ w + b, right")],),
        ),
        Mistake(
            "scores_of_control",
            "These are the scores for the control labels. Asked for are those for the real labels.",
            [(_CONTROL_PROBE, _CONTROL_PROBE.replace("_,", "scores,"))],
        ),
        Mistake(
            "classes_of_training",
            "The number of classes is taken from the labels. Some of them may be missing there: "
            "give `F.one_hot` `num_labels`.",
            [
                (
                    "y = F.one_hot(of_examples[~is_test], num_labels)",
                    "y = F.one_hot(of_examples[~is_test], int(of_examples[~is_test].max()) + 1)",
                )
            ],
            other_forms=(
                [
                    (
                        "y = F.one_hot(of_examples[~is_test], num_labels)",
                        "y = F.one_hot(of_examples[~is_test], int(of_examples.max()) + 1)",
                    )
                ],
                [
                    (
                        "y = F.one_hot(of_examples[~is_test], num_labels)",
                        "y = F.one_hot(of_examples)[~is_test]",
                    )
                ],
            ),
            points=4,
        ),
        Mistake(
            "constant_nan",
            "A column that is constant in the training examples gives 0/0. It becomes 0, for the "
            "test examples, too.",
            [(_STANDARD, "    x = (states - mean) / std\n")],
            any_error=True,
            points=4,
        ),
        Mistake(
            "tiny_divisor",
            "A column that is constant in the training examples is divided by something tiny (an "
            "ε, `clamp`, its own standard deviation, which is rounded and not quite 0). Its mean "
            "is rounded, so what is left of it becomes large, and so do the test examples. It "
            "becomes 0; ask its values whether it is constant.",
            [(_STANDARD, "    x = (states - mean) / (std + 1e-8)\n")],
            other_forms=(
                [(_STANDARD, "    x = (states - mean) / std.clamp(min=1e-8)\n")],
                [(_STANDARD, "    x = (states - mean) / (std + 1e-7)\n")],
                [(_STANDARD, "    x = (states - mean) / (std**2 + 1e-12).sqrt()\n")],
                [
                    (
                        _MEAN,
                        "mean = train.mean(0)\n    std = (train - mean).square().mean(0).sqrt()",
                    ),
                    (_CONSTANT_LINE, "constant = std == 0"),
                ],
                [
                    ("train = states", "states = states.double()\n    train = states"),
                    (_STANDARD, "    x = ((states - mean) / (std + 1e-8)).float()\n"),
                    (".to(states.dtype)", ".float()"),
                ],
                [
                    ("train = states", "states = states.double()\n    train = states"),
                    (_STANDARD, "    x = ((states - mean) / std.clamp(min=1e-8)).float()\n"),
                    (".to(states.dtype)", ".float()"),
                ],
            ),
            points=4,
        ),
        Mistake(
            "small_is_constant",
            "A column of small numbers is taken for constant, or shrinks because something is "
            "added to its deviation. It's constant only if all of its values in the training "
            "examples are equal: compare them.",
            [(_CONSTANT_LINE, "constant = std < 1e-5")],
            other_forms=(
                [(_CONSTANT_LINE, "constant = torch.isclose(train, train[0]).all(0)")],
                [(_CONSTANT_LINE, "constant = std < 1e-6")],
                [(_CONSTANT_LINE, "constant = std < 1e-4")],
                [(_CONSTANT_LINE, "constant = train.amax(0) - train.amin(0) < 1e-6")],
            ),
            points=4,
        ),
        Mistake(
            "training_accuracy",
            "The accuracy is that of the training examples. Asked for is that of the test "
            "examples.",
            [
                (
                    "right = scores.argmax(1) == of_examples[is_test]",
                    "right = (x_train @ w + b).argmax(1) == of_examples[~is_test]",
                ),
            ],
            points=3,
        ),
        Mistake(
            "accuracy_of_all",
            "The accuracy is that of all examples, training included. Asked for is that of the "
            "test examples.",
            [
                (
                    "right = scores.argmax(1) == of_examples[is_test]",
                    "right = (x @ w + b).argmax(1) == of_examples",
                ),
            ],
            points=3,
        ),
        Mistake(
            "mean_over_classes",
            "The accuracies are averages over the classes, so that an example of a rare class "
            "counts more. An accuracy is the share of all test examples that are right.",
            [
                (
                    "return scores, right.float().mean()",
                    "own = of_examples[is_test]\n"
                    "        shares = [right[own == c].float().mean() for c in own.unique()]\n"
                    "        return scores, torch.stack(shares).mean()",
                )
            ],
            points=3,
        ),
        Mistake(
            "number_right",
            "These are numbers of examples, or percents. An accuracy is a share, from 0 to 1.",
            [(_ACCURACY_LINE, "right.float().sum()")],
            other_forms=([(_ACCURACY_LINE, "100 * right.float().mean()")],),
            points=3,
        ),
        Mistake(
            "control_by_label",
            "The control gives each *class* a random label. It's each word *type* that gets one: "
            "`control_labels[word_ids]`.",
            [(_CONTROL_PROBE, "_, control = probe(control_labels[labels])")],
            points=4,
        ),
        Mistake(
            "control_by_example",
            "The control's labels aren't those of the words: `control_labels` has one label for "
            "each word type, and an example gets that of its word, `control_labels[word_ids]`.",
            [
                (
                    _CONTROL_PROBE,
                    "times = -(-len(states) // len(control_labels))\n"
                    "    _, control = probe(control_labels.repeat(times)[: len(states)])",
                )
            ],
            points=4,
        ),
        Mistake(
            "control_shuffled",
            "The control's labels are the real ones, shuffled or shifted among the examples. Then "
            "one word has different labels, which can't be memorised; each word *type* has "
            "its label in `control_labels`.",
            [(_CONTROL_PROBE, "_, control = probe(labels.flip(0))")],
            other_forms=([(_CONTROL_PROBE, "_, control = probe(labels.roll(1))")],),
            points=4,
        ),
        Mistake(
            "control_not_trained",
            "The probe that was trained for the real labels is tested with the control labels. "
            "Train a second one for the control.",
            [
                (
                    _CONTROL_PROBE,
                    "control = (scores.argmax(1) == "
                    "control_labels[word_ids][is_test]).float().mean()",
                )
            ],
            points=4,
        ),
        Mistake(
            "control_on_labels",
            "The probe that was trained for the control labels is tested with the real ones. It's "
            "tested with the control labels, too: how well does it know *them*?",
            [
                (
                    _CONTROL_PROBE,
                    "others, _ = probe(control_labels[word_ids])\n"
                    "    control = (others.argmax(1) == labels[is_test]).float().mean()",
                )
            ],
            points=4,
        ),
        Mistake(
            "control_on_training",
            "The control's accuracy is that of the training examples. It's that of the test "
            "examples, as for the real labels.",
            [
                (
                    _ACCURACY_LINE,
                    "(right if of_examples is labels else (x_train @ w + b).argmax(1) == "
                    "of_examples[~is_test]).float().mean()",
                )
            ],
            points=4,
        ),
        Mistake(
            "control_on_seen_words",
            "The control's accuracy leaves out test examples whose word isn't among the training "
            "examples. All test examples count, as they do for the first accuracy.",
            [
                (
                    _CONTROL_PROBE,
                    "others, _ = probe(control_labels[word_ids])\n"
                    "    right = others.argmax(1) == control_labels[word_ids][is_test]\n"
                    "    seen = torch.isin(word_ids[is_test], word_ids[~is_test])\n"
                    "    control = right[seen].float().mean()",
                )
            ],
            points=4,
        ),
        Mistake(
            "control_by_type",
            "The control's accuracy is an average over the word types, so that a rare word counts "
            "as much as a frequent one. It's the share of all test examples that are right.",
            [
                (
                    _CONTROL_PROBE,
                    "others, _ = probe(control_labels[word_ids])\n"
                    "    right = others.argmax(1) == control_labels[word_ids][is_test]\n"
                    "    own = word_ids[is_test]\n"
                    "    shares = [right[own == w].float().mean() for w in own.unique()]\n"
                    "    control = torch.stack(shares).mean()",
                )
            ],
            points=4,
        ),
        Mistake(
            "selectivity_turned",
            "The selectivity has the wrong sign: it's the accuracy minus that of the control.",
            [(_RESULT, "torch.stack([accuracy, control, control - accuracy])")],
            points=4,
        ),
        Mistake(
            "ratio",
            "The selectivity is a quotient here. It's a difference: the accuracy minus that of the "
            "control.",
            [(_RESULT, "torch.stack([accuracy, control, accuracy / control])")],
            points=4,
        ),
        Mistake(
            "selectivity_without_sign",
            "The selectivity has lost its sign. If the control does better, it's negative.",
            [(_RESULT, "torch.stack([accuracy, control, (accuracy - control).abs()])")],
            other_forms=(
                [(_RESULT, "torch.stack([accuracy, control, (accuracy - control).clamp(min=0)])")],
            ),
            points=4,
        ),
        Mistake(
            "no_control",
            "The control is missing: `accuracies` has three entries.",
            [(_RESULT, "accuracy[None]")],
            points=3,
        ),
        Mistake(
            "pair_exchanged",
            "The two results come back in the wrong order: `(scores, accuracies)`.",
            [(f"return scores, {_RESULT}", f"return {_RESULT}, scores")],
        ),
        changed_in_place(
            "states",
            [("    gram =", "    states[~is_test] = x_train\n    gram =")],
        ),
        kept(
            [
                ("num_labels, penalty):", "num_labels, penalty, kept={}):"),
                ("    gram =", "    x_train = kept.setdefault(x_train.shape, x_train)\n    gram ="),
            ],
        ),
    ),
)
