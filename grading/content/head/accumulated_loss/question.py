"""Exercise 2: the loss of two batches as if they were one."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from grading.content.head import harnesses
from grading.content.head.sections import TOKENS
from grading.content.head.shared import normal
from grading.exercise import Case, Part, Question


def summed_loss(logits, labels, class_weights, label_smoothing):
    """The losses of a batch, added up, and the weights that they are divided by."""
    real = labels != -100
    target = labels.clamp(min=0)
    log_p = logits.log_softmax(dim=-1)  # [batch, tokens, classes]
    if class_weights is None:
        class_weights = torch.ones(logits.size(-1))
    weights = class_weights[target]  # [batch, tokens]
    exact = -log_p.gather(-1, target[..., None])[..., 0] * weights
    spread = -(log_p * class_weights).mean(dim=-1)
    losses = (1 - label_smoothing) * exact + label_smoothing * spread
    count = weights.masked_fill(~real, 0.0).sum().clamp(min=1e-30)
    return losses.masked_fill(~real, 0.0).sum(), count


def accumulated_loss(
    logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0
):
    """The loss that both batches together have as one, []."""
    total_a, count_a = summed_loss(logits_a, labels_a, class_weights, label_smoothing)
    total_b, count_b = summed_loss(logits_b, labels_b, class_weights, label_smoothing)
    return (total_a + total_b) / (count_a + count_b)


def _accumulated_cases(generator: torch.Generator) -> list[Case]:
    def batch(lengths, tokens, classes):
        logits = normal(generator, len(lengths), tokens, classes, size=2.0)
        labels = torch.randint(0, classes, logits.shape[:2], generator=generator)
        return logits, labels.masked_fill(
            torch.arange(tokens) >= torch.tensor(lengths)[:, None], -100
        )

    def case(
        title,
        part,
        one,
        two,
        classes,
        weights=0.0,
        smoothing=0.0,
        large=False,
        left=False,
        **options,
    ):
        (logits_a, labels_a), (logits_b, labels_b) = batch(*one, classes), batch(*two, classes)
        if left:
            labels_b = labels_b.flip(1)
            labels_a[0, 1] = -100  # between two labels
        if large:  # whole numbers, some tokens as wrong as can be
            logits_a, logits_b = (
                torch.where(logits > 0, 10_000.0, -10_000.0) for logits in (logits_a, logits_b)
            )
            logits_a[0, 0] = -10_000.0
            logits_a[0, 0, (labels_a[0, 0] + 1) % classes] = 10_000.0
            logits_b[0, 0] = -10_000.0  # each token has a largest logit of its own
            logits_b[1, 0] = -10_000.0
            logits_b[1, 0, labels_b[1, 0]] = 10_000.0  # the loss is 0, and counts
        arguments = [
            ("logits_a", logits_a),
            ("labels_a", labels_a),
            ("logits_b", logits_b),
            ("labels_b", labels_b),
        ]
        if weights or smoothing:
            drawn = (torch.rand(classes, generator=generator) * 3 + 0.3) * weights
            arguments.append(("class_weights", drawn if weights else None))
        if smoothing:
            arguments.append(("label_smoothing", smoothing))
        return Case(title, part, tuple(arguments), **options)

    def called_again(title, part, more=0, **options):
        other = 1 if more else 2  # with weights, as many labels in both batches
        first, *others = (
            case(title, part, ([7, length], 8 + more), ([6, other, length], 7 + more), 6, **options)
            for length in (3, 5, 4)
        )
        again = tuple(tuple(value for _, value in other.arguments) for other in others)
        return Case(title, part, first.arguments, again=again)

    smoothing = 0.1 + 0.2 * float(torch.rand((), generator=generator))
    return [
        case("two batches", "core", ([3, 5], 5), ([2, 1, 4], 4), 3),
        case("all sizes are equal", "core", ([4, 2, 3, 1], 4), ([1, 3, 2], 4), 4, left=True),
        case("one token, and no padding, strided", "core", ([1], 1), ([6, 6], 6), 5, strided=True),
        called_again("called again, other labels", "core"),
        called_again("called again, other class weights", "weights", 2, weights=1.0),
        # Weights smaller than what is added against 0/0, and nothing may be divided by 1 at least.
        case("class weights", "weights", ([3, 2], 5), ([2, 1, 4], 4), 3, weights=1e-20),
        case("label smoothing of 1", "smooth", ([2, 4], 5), ([2, 1], 3), 4, smoothing=1.0),
        case("both", "smooth", ([5, 3], 5), ([1, 2], 3), 4, weights=1e-20, smoothing=smoothing),
        case("logits of ±10000", "sound", ([3, 2], 3), ([2, 4], 4), 5, large=True),
        case("one batch all padding", "sound", ([0, 0], 3), ([2, 4], 4), 5, gradient=True),
        case("the other batch all padding", "sound", ([2, 3], 4), ([0], 3), 5, gradient=True),
        case(
            "nothing but padding, class weights",
            "sound",
            ([0, 0], 3),
            ([0], 4),
            5,
            weights=1.0,
            harness=harnesses.on_copies,  # what changes its arguments loses that point elsewhere
        ),
        case(
            "nothing but padding, `backward()`",
            "sound",
            ([0], 3),
            ([0, 0], 2),
            4,
            harness=harnesses.backward,
        ),
        case("gradients", "sound", ([3, 2], 3), ([2, 4, 1], 4), 5, gradient=True),
    ]


def _library_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    """Flatten, put together, one call."""
    logits = torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    if (labels == -100).all():
        return logits.sum() * 0.0
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing)


def _summed_library_loss(
    logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0
):
    total, count = 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        total = total + F.cross_entropy(
            logits.transpose(1, 2),
            labels,
            weight=class_weights,
            reduction="sum",
            label_smoothing=label_smoothing,
        )
        kept = labels[labels != -100]
        count += len(kept) if class_weights is None else class_weights[kept].sum()
    return total / count if count > 0 else total


def _one_hot_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    classes = logits_a.size(-1)
    weights = torch.ones(classes) if class_weights is None else class_weights
    z = torch.cat([logits_a.reshape(-1, classes), logits_b.reshape(-1, classes)])
    y = torch.cat([labels_a.reshape(-1), labels_b.reshape(-1)])
    z, y = z[y >= 0], y[y >= 0]
    aim = (1 - label_smoothing) * F.one_hot(y, classes) + label_smoothing / classes
    log_p = z - z.logsumexp(dim=1, keepdim=True)
    return -(aim * weights * log_p).sum() / weights[y].sum().clamp(min=1e-30)


def _loop_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    total, count = logits_a.sum() * 0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        for b in range(labels.size(0)):
            for t in range(labels.size(1)):
                if (y := int(labels[b, t])) == -100:
                    continue
                log_p = logits[b, t].log_softmax(0)
                w = torch.ones_like(log_p) if class_weights is None else class_weights
                spread = -(w * log_p).mean()
                total = total + (1 - label_smoothing) * -log_p[y] * w[y] + label_smoothing * spread
                count = count + w[y]
    return total / count if count else total


QUESTION = Question(
    id="accumulated_loss",
    title="One loss from two batches",
    signature=(
        "accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, "
        "label_smoothing=0.0)"
    ),
    reference=accumulated_loss,
    helpers=(summed_loss,),
    cases=_accumulated_cases,
    parts=(
        Part("core", "the mean over all tokens of both batches", 2),
        Part("weights", "class weights", 1),
        Part("smooth", "label smoothing, alone and with weights", 1),
        Part("sound", "large logits, nothing but padding, gradients", 1),
    ),
    minutes=25,
    difficulty=2,
    section=TOKENS,
    alternatives={
        "one library call": _library_loss,
        "library sums": _summed_library_loss,
        "one-hot targets": _one_hot_loss,
        "loop over tokens": _loop_loss,
        "in float64": lambda za, ya, zb, yb, w=None, s=0.0: _library_loss(
            za.double(), ya, zb.double(), yb, None if w is None else w.double(), s
        ).float(),
    },
)
