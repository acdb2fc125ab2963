"""Exercise 4: a ridge regression as a probe, and the same probe for labels drawn by word type."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import torch
import torch.nn.functional as F

from grading.content.drawing import draw_integer
from grading.content.looking_inside import harnesses
from grading.content.looking_inside.sections import CONTROL_LABELS
from grading.content.looking_inside.shared import normal
from grading.exercise import Case, Part, Question


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


def _wrong(name: str) -> Callable:
    from . import EXERCISE  # which has the bank, that stands on this module

    return EXERCISE.wrong(name)


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


QUESTION = Question(
    id="probe_with_control",
    title="A probe, and what it would have found anyway",
    signature=(
        "probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty)"
    ),
    reference=probe_with_control,
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
)
