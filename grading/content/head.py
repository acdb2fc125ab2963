"""Assignment 7, the head: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.

Each reference is written so that it can be made wrong: ``variant`` takes the mistakes to make.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.content import head_drivers as drivers
from grading.exercise import Case, Exercise, Mistake, Part

ASSIGNMENT = "07_head"

_POOLING = "“Pooling: many vectors, one text” in chapter 7"
_LOSS = "“Cross-entropy by hand” in chapter 7"
_TOKENS = "“A head for tokens” in chapter 7"
_SCORES = "“How good is it?” in chapter 7"
_BEST = "“The best weights, and a bug that hides” in chapter 7"
_LOOP = "“A training loop, written out” in chapter 7"
_WORDS = "“A head for words, and agreement with Hugging Face” in chapter 7"
_COMMON = "“Common mistakes” in chapter 7"

NONE: frozenset[str] = frozenset()


def _sizes(generator: torch.Generator, count: int, low: int) -> list[int]:
    """Draw pairwise different sizes."""
    return (torch.randperm(count + 1, generator=generator)[:count] + low).tolist()


def _normal(generator: torch.Generator, *shape: int, size: float = 1.3) -> Tensor:
    return torch.randn(*shape, generator=generator) * size


# ---- Exercise 1: pooled ------------------------------------------------------------------------


def _pooled(mistakes: frozenset[str] = NONE):
    def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
        real = attention_mask.bool()
        if "inverted" in mistakes:
            real = ~real
        tokens = hidden_states.size(1)
        count = real.sum(dim=1, keepdim=True)
        empty = ~real.any(dim=1, keepdim=True)
        rows = torch.arange(len(real))
        if "no_gradient" in mistakes:
            hidden_states = hidden_states.detach()
        if kind == "mean":
            total = hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)
            if "mean_all" in mistakes:
                return hidden_states.mean(dim=1)
            if "mean_padded_length" in mistakes:
                return total / tokens
            if "mean_sum" in mistakes:
                return total
            return total / (count if "empty_nan" in mistakes else count.clamp(min=1))
        if kind == "max":
            fill = 0.0 if "max_zero" in mistakes else -math.inf
            if "max_all" in mistakes:
                return hidden_states.amax(dim=1)
            largest = hidden_states.masked_fill(~real[..., None], fill).amax(dim=1)
            return largest if "empty_infinity" in mistakes else largest.masked_fill(empty, 0.0)
        if kind == "first":
            place = real.int().argmax(dim=1)
            if "first_place" in mistakes:
                place = torch.zeros_like(place)
            if "after_first" in mistakes:
                place = (place + 1).clamp(max=tokens - 1)
        else:
            place = tokens - 1 - real.int().flip(1).argmax(dim=1)
            if "last_by_count" in mistakes:
                place = count[:, 0] - 1
            if "last_place" in mistakes:
                place = torch.full_like(place, tokens - 1)
            if "last_one_early" in mistakes:
                place = (place - 1).clamp(min=0)
        result = hidden_states[rows, place]
        return result if "empty_padding" in mistakes else result.masked_fill(empty, 0.0)

    return pooled


def _pooled_cases(generator: torch.Generator) -> list[Case]:
    def mask_of(lengths: list[int], tokens: int, left: bool) -> Tensor:
        mask = (torch.arange(tokens) < torch.tensor(lengths)[:, None]).long()
        return mask.flip(1) if left else mask

    def case(title, part, kind, lengths, left=False, **options):
        tokens, hidden = (6, 4) if len(lengths) != 4 else (7, 5)
        mask = mask_of(lengths, tokens, left)
        states = _normal(generator, len(lengths), tokens, hidden)
        lowest = 20_000.0 if kind == "max" else 0.5  # so that 0, −1 or −10000 would be the largest
        states[..., 0] = -states[..., 0].abs() - lowest
        states = torch.where(mask[..., None] == 0, states.abs() + 5, states)
        arguments = (("hidden_states", states), ("attention_mask", mask), ("kind", kind))
        return Case(title, part, arguments, **options)

    return [
        case("the mean", "core", "mean", [3, 6, 4]),
        case("the largest numbers", "core", "max", [4, 3, 6]),
        case("the first token", "core", "first", [5, 6, 3], strided=True),
        case("the last token, four texts", "core", "last", [4, 7, 3, 5]),
        case("the last token, a batch of one", "core", "last", [3]),
        case("the mean, padding on the left", "left", "mean", [4, 6, 3], left=True),
        case("the first token, padding on the left", "left", "first", [3, 6, 4, 5], left=True),
        case("the last token, padding on the left", "left", "last", [4, 3, 5], left=True),
        case("the mean, one text empty", "empty", "mean", [4, 0, 3], gradient=True),
        case("the largest numbers, one text empty", "empty", "max", [0, 3, 6], gradient=True),
        case("the first token, one text empty", "empty", "first", [4, 0, 6]),
        case("the last token, one text empty", "empty", "last", [4, 0, 6], gradient=True),
    ]


def _pooled_in_a_loop(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    rows = []
    for vectors, mask in zip(hidden_states, attention_mask, strict=True):
        real = vectors[mask == 1]
        if len(real) == 0:
            rows.append(torch.zeros_like(vectors[0]))
        elif kind == "mean":
            rows.append(real.mean(0))
        elif kind == "max":
            rows.append(real.max(0).values)
        else:
            rows.append(real[0 if kind == "first" else -1])
    return torch.stack(rows)


def _pooled_by_weights(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """Everything but the maximum is a weighted sum of the tokens."""
    mask = attention_mask.to(hidden_states.dtype)
    if kind == "max":
        far = hidden_states + (mask.unsqueeze(-1) - 1) * 1e9
        return torch.where(mask.any(1, keepdim=True), far.max(dim=1)[0], 0.0)
    if kind == "mean":
        weights = mask / mask.sum(1, keepdim=True).clamp(min=1)
    elif kind == "first":
        weights = mask * (mask.cumsum(1) == 1)
    else:
        weights = mask * (mask.flip(1).cumsum(1).flip(1) == 1)
    return torch.einsum("bt,bth->bh", weights, hidden_states)


def _pooled_by_positions(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    real = (attention_mask > 0).unsqueeze(2)
    if kind == "mean":
        return (hidden_states * real).sum(1) / real.sum(1).clamp(min=1)
    if kind == "max":
        return hidden_states.masked_fill(~real, -torch.inf).amax(1).nan_to_num(neginf=0.0)
    numbers = torch.arange(1, real.size(1) + 1)
    if kind == "first":
        numbers = numbers.flip(0)
    place = (numbers * attention_mask).argmax(dim=1)
    found = hidden_states.gather(1, place[:, None, None].expand(-1, 1, hidden_states.size(2)))
    return found.squeeze(1) * real.any(dim=1)


def _first_tokens(states: Tensor, mask: Tensor, kind: str) -> Tensor:
    return _pooled()(states, mask, "first")


def _only(kind: str, found: Callable[[Tensor, Tensor], Tensor]) -> Callable:
    """Right for the other kinds; for ``kind`` the vectors are ``found(states, real)``."""

    def pooled(states: Tensor, mask: Tensor, asked: str) -> Tensor:
        if asked != kind:
            return _pooled()(states, mask, asked)
        real = mask.bool()
        return found(states, real).masked_fill(~real.any(dim=1, keepdim=True), 0.0)

    return pooled


def _at(kind: str, place: Callable[[Tensor], Tensor]) -> Callable:
    """Right for the other kinds; for ``kind`` the token at ``place(real)`` is taken."""
    return _only(kind, lambda states, real: states[torch.arange(len(real)), place(real)])


def _mean_over(count: Callable[[Tensor, Tensor], Tensor]) -> Callable:
    """For ``mean`` the sum of the real tokens, divided by ``count(states, real)``."""
    return _only("mean", lambda x, real: (x * real[..., None]).sum(1) / count(x, real))


def _filled(real: Tensor, states: Tensor, fill: float) -> Tensor:
    return states.masked_fill(~real[..., None], fill)


def _maximum_and_places(states: Tensor, mask: Tensor, kind: str):
    if kind != "max":
        return _pooled()(states, mask, kind)
    return tuple(_filled(mask.bool(), states, -math.inf).max(dim=1))


POOLED = Exercise(
    id="pooled",
    title="Pooling that padding cannot disturb",
    signature="pooled(hidden_states, attention_mask, kind)",
    reference=_pooled(),
    variant=_pooled,
    cases=_pooled_cases,
    parts=(
        Part("core", "all four kinds, padding on the right", 2),
        Part("left", "padding on the left", 1),
        Part("empty", "a text that is nothing but padding; gradients", 1),
    ),
    minutes=15,
    difficulty=1,
    section=_POOLING,
    alternatives={
        "loop over texts": _pooled_in_a_loop,
        "weights and einsum": _pooled_by_weights,
        "gather": _pooled_by_positions,
        "in float64": lambda states, mask, kind: _pooled()(states.double(), mask, kind).float(),
    },
    mistakes=(
        Mistake(
            "mean_all",
            "For `mean` padding is averaged, too, as `hidden_states.mean(dim=1)` does. Count the "
            "real tokens only.",
        ),
        Mistake(
            "mean_padded_length",
            "For `mean` padding is left out of the sum, but the sum is divided by the padded "
            "length. Divide by the number of real tokens.",
            implementation=_pooled(frozenset({"mean_padded_length"})),
        ),
        Mistake(
            "mean_sum",
            "For `mean` the real tokens are added up and not divided by their number.",
            implementation=_pooled(frozenset({"mean_sum"})),
        ),
        Mistake(
            "max_all",
            "For `max` padding takes part. Set its numbers to minus infinity before the maximum.",
        ),
        Mistake(
            "max_zero",
            "For `max` padding is set to 0, which beats every negative number. Set it to minus "
            "infinity.",
        ),
        Mistake(
            "first_place",
            "For `first` place 0 is taken always. With padding on the left a pad stands there.",
            points=3,
        ),
        Mistake(
            "after_first",
            "For `first` the token after the first real one is taken.",
            implementation=_pooled(frozenset({"after_first"})),
        ),
        Mistake(
            "last_place",
            "For `last` the last place is taken always, `[:, -1]`. With padding on the right a "
            "pad stands there.",
            section=_COMMON,
        ),
        Mistake(
            "last_by_count",
            "For `last` the place is the number of real tokens minus 1. That is right only if "
            "padding stands on the right.",
            points=3,
        ),
        Mistake(
            "last_one_early",
            "For `last` the token before the last real one is taken: off by one.",
            implementation=_pooled(frozenset({"last_one_early"})),
        ),
        Mistake(
            "inverted",
            "The mask is read the wrong way round: 1 is a real token, 0 is padding.",
            implementation=_pooled(frozenset({"inverted"})),
        ),
        Mistake(
            "empty_nan",
            "For `mean` a text that is all padding gives NaN, 0/0. Its vector must be zeros.",
            points=3,
        ),
        Mistake(
            "empty_infinity",
            "For `max` a text that is all padding gives minus infinity. Its vector must be zeros.",
            points=3,
        ),
        Mistake(
            "empty_fill",
            "For `max` a text that is all padding gives the number that stood in for its padding, "
            "-1e9. Its vector must be zeros.",
            lambda states, mask, kind: (
                states.masked_fill(mask[..., None] == 0, -1e9).amax(dim=1)
                if kind == "max"
                else _pooled()(states, mask, kind)
            ),
            points=3,
        ),
        Mistake(
            "empty_padding",
            "For `first` or `last` a text that is all padding gives the vector of a pad. It must "
            "be zeros.",
            points=3,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `no_grad`).",
            points=3,
            implementation=_pooled(frozenset({"no_gradient"})),
        ),
        Mistake(
            "batch_item",
            "The tokens of the first text are returned (`hidden_states[0]`): axis 0 is the batch, "
            "tokens lie along axis 1.",
            lambda states, mask, kind: states[0],
        ),
        Mistake(
            "over_the_batch",
            "The result runs over the texts of the batch (axis 0); pool over the tokens, axis 1.",
            lambda states, mask, kind: (
                states.mean(0) if kind == "mean" else states.amax(0) if kind == "max" else states[0]
            ),
        ),
        Mistake(
            "kind_ignored",
            "`kind` is not looked at: the first token is taken always.",
            _first_tokens,
        ),
        Mistake(
            "always_mean",
            "`kind` is not looked at: the mean is taken always.",
            lambda states, mask, kind: _pooled()(states, mask, "mean"),
        ),
        Mistake(
            "mean_padding_in_the_sum",
            "For `mean` the sum is divided by the number of real tokens, but padding is still in "
            "the sum. Set padding to 0 before you add up.",
            _only("mean", lambda x, real: x.sum(1) / real.sum(1, keepdim=True).clamp(min=1)),
        ),
        Mistake(
            "mean_over_hidden_size",
            "For `mean` the sum is divided by the length of a vector. Divide by the number of real "
            "tokens.",
            _mean_over(lambda x, real: x.size(-1)),
        ),
        Mistake(
            "mean_over_the_batch",
            "For `mean` the sum is divided by the real tokens of the whole batch (`mask.sum()`). "
            "Each text has its own number: sum the mask along dimension 1.",
            _mean_over(lambda x, real: real.sum().clamp(min=1)),
        ),
        Mistake(
            "mean_one_too_many",
            "For `mean` the sum is divided by the number of real tokens plus 1. To avoid 0/0, "
            "clamp the number instead.",
            _mean_over(lambda x, real: real.sum(1, keepdim=True) + 1),
        ),
        Mistake(
            "mean_of_length_1",
            "For `mean` the vectors have been given the length 1. Divide by the number of real "
            "tokens, and by nothing else.",
            _only("mean", lambda x, real: F.normalize((x * real[..., None]).sum(1), dim=-1)),
        ),
        *(
            Mistake(
                f"max_fill_{fill}",
                f"For `max` padding is set to {fill}, and lower numbers occur. Set it to minus "
                "infinity.",
                _only("max", lambda x, real, fill=fill: _filled(real, x, -float(fill)).amax(1)),
            )
            for fill in (1, 100, 1_000, 10_000)
        ),
        Mistake(
            "max_plus_infinity",
            "For `max` padding is set to plus infinity, so it is always the largest. Set it to "
            "*minus* infinity.",
            _only("max", lambda x, real: _filled(real, x, math.inf).amax(1)),
        ),
        Mistake(
            "max_of_padding",
            "For `max` the real tokens are hidden and padding is looked at: the mask is the wrong "
            "way round there.",
            _only("max", lambda x, real: _filled(~real, x, -math.inf).amax(1)),
        ),
        Mistake(
            "max_of_sizes",
            "For `max` the largest absolute values are taken. A large negative number is small.",
            _only("max", lambda x, real: (x * real[..., None]).abs().amax(1)),
        ),
        Mistake(
            "max_is_min",
            "For `max` the smallest number is taken.",
            _only("max", lambda x, real: _filled(real, x, math.inf).amin(1)),
        ),
        Mistake(
            "max_one_token",
            "For `max` one whole token is taken, the longest vector. The maximum is taken for each "
            "of the hidden numbers by itself.",
            _only(
                "max",
                lambda x, real: x[torch.arange(len(x)), (x.norm(dim=-1) * real).argmax(dim=1)],
            ),
        ),
        Mistake(
            "max_and_places",
            "For `max` two things came back: `max(dim=1)` gives the values and their places. Take "
            "`.values`, or use `amax`.",
            _maximum_and_places,
        ),
        Mistake(
            "last_place_is_count",
            "For `last` the place is the number of real tokens. Places are counted from 0, so the "
            "last of n tokens is at place n − 1.",
            _at("last", lambda real: real.sum(dim=1)),
        ),
        Mistake(
            "last_one_late",
            "For `last` the token behind the last real one is taken, which is padding: off by one.",
            _at(
                "last",
                lambda real: (real.size(1) - real.int().flip(1).argmax(dim=1)).clamp(
                    max=real.size(1) - 1
                ),
            ),
        ),
        Mistake(
            "last_not_turned_back",
            "For `last` the place was found in the turned mask, where it counts from the end, and "
            "used from the front.",
            _at("last", lambda real: real.int().flip(1).argmax(dim=1)),
        ),
        Mistake(
            "last_is_first",
            "For `last` the first real token is taken.",
            _at("last", lambda real: real.int().argmax(dim=1)),
        ),
        Mistake(
            "first_is_last",
            "For `first` the last real token is taken.",
            _at("first", lambda real: real.size(1) - 1 - real.int().flip(1).argmax(dim=1)),
        ),
        Mistake(
            "first_and_last_exchanged",
            "`first` and `last` are exchanged.",
            lambda states, mask, kind: _pooled()(
                states, mask, {"first": "last", "last": "first"}.get(kind, kind)
            ),
        ),
        Mistake(
            "kept_axis",
            "The axis of the tokens is still there, with length 1 (`keepdim`).",
            lambda *arguments: _pooled()(*arguments).unsqueeze(1),
        ),
    ),
)


# ---- Exercise 2: accumulated_loss --------------------------------------------------------------


def _accumulated_loss(mistakes: frozenset[str] = NONE):
    places = "by_places" in mistakes

    def batch_terms(logits, labels, class_weights, smoothing):
        """The sum of the losses and the sum of their weights, of one batch."""
        classes = logits.size(-1)
        if "transposed_first" in mistakes:
            logits = logits.transpose(1, 2).reshape(logits.shape)
        if "reshaped" in mistakes:  # classes to dimension 1, but without moving a number
            mixed = logits.reshape(logits.size(0), classes, -1).transpose(1, 2)
            logits = mixed
        if "softmax_first" in mistakes:
            logits = logits.softmax(dim=-1)
        real = labels != -100
        target = labels.clamp(min=0)
        if "pads_as_class_0" in mistakes:
            real = torch.ones_like(real)
        if "class_0_ignored" in mistakes:
            real = target != 0
        log_p = logits if "raw_logits" in mistakes else logits.log_softmax(dim=-1)
        if "unstable" in mistakes:
            log_p = logits.softmax(dim=-1).log()
        if "base_two" in mistakes:
            log_p = log_p / math.log(2)
        if "over_the_tokens" in mistakes:
            log_p = logits.log_softmax(dim=1)
        if "no_weights" in mistakes or class_weights is None:
            weights = torch.ones(classes)
        else:
            weights = 1 / class_weights if "weights_inverted" in mistakes else class_weights
        own = weights[target]  # [batch, tokens]
        exact = -log_p.gather(-1, target[..., None])[..., 0] * own
        if "smoothing_own_weight" in mistakes:
            spread = -log_p.mean(dim=-1) * own
        elif "smoothing_no_weight" in mistakes:
            spread = -log_p.mean(dim=-1)
        else:
            spread = -(log_p * weights).mean(dim=-1)
        if "no_smoothing" in mistakes:
            smoothing = 0.0
        if "smoothing_turned" in mistakes:
            smoothing = 1 - smoothing
        if "smoothing_sum" in mistakes:
            spread = spread * classes
        if "smoothing_others" in mistakes:  # the mass goes to the other classes only
            others = (spread * classes - exact) / (classes - 1)
            each = (1 - smoothing) * exact + smoothing * others
        elif "smoothing_added" in mistakes:
            each = exact + smoothing * spread
        else:
            each = (1 - smoothing) * exact + smoothing * spread
        if "smoothing_pads" in mistakes and smoothing:
            each = torch.where(real, each, smoothing * spread)
        else:
            each = each.masked_fill(~real, 0.0)
        counted = own.masked_fill(~real, 0.0)
        if "weights_not_divided" in mistakes:
            counted = real.float()
        if "padded_length" in mistakes:
            counted = own if "pads_as_class_0" in mistakes else torch.ones_like(own)
        return each.sum(), counted.sum(), labels.numel() if places else labels.size(0)

    def accumulated_loss(
        logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0
    ):
        if "no_gradient" in mistakes:
            logits_a, logits_b = logits_a.detach(), logits_b.detach()
        total_a, count_a, rows_a = batch_terms(logits_a, labels_a, class_weights, label_smoothing)
        total_b, count_b, rows_b = batch_terms(logits_b, labels_b, class_weights, label_smoothing)
        least = 0.0 if "empty_nan" in mistakes else 1e-30
        if "mean_of_means" in mistakes:
            a, b = total_a / count_a.clamp(min=least), total_b / count_b.clamp(min=least)
            return (a + b) / 2
        if places or "by_texts" in mistakes:
            a, b = total_a / count_a.clamp(min=least), total_b / count_b.clamp(min=least)
            return (a * rows_a + b * rows_b) / (rows_a + rows_b)
        if "sum" in mistakes:
            return total_a + total_b
        return (total_a + total_b) / (count_a + count_b).clamp(min=least)

    return accumulated_loss


def _accumulated_cases(generator: torch.Generator) -> list[Case]:
    def batch(lengths, tokens, classes):
        logits = _normal(generator, len(lengths), tokens, classes, size=2.0)
        labels = torch.randint(0, classes, logits.shape[:2], generator=generator)
        return logits, labels.masked_fill(
            torch.arange(tokens) >= torch.tensor(lengths)[:, None], -100
        )

    def case(title, part, one, two, classes, weights=None, smoothing=0.0, large=False, **options):
        (logits_a, labels_a), (logits_b, labels_b) = batch(*one, classes), batch(*two, classes)
        if large:  # whole numbers, some tokens as wrong as can be
            logits_a, logits_b = (
                torch.where(logits > 0, 10_000.0, -10_000.0) for logits in (logits_a, logits_b)
            )
            logits_a[0, 0] = -10_000.0
            logits_a[0, 0, (labels_a[0, 0] + 1) % classes] = 10_000.0
        arguments = [
            ("logits_a", logits_a),
            ("labels_a", labels_a),
            ("logits_b", logits_b),
            ("labels_b", labels_b),
        ]
        if weights or smoothing:
            drawn = torch.rand(classes, generator=generator) * 3 + 0.3
            arguments.append(("class_weights", drawn if weights else None))
        if smoothing:
            arguments.append(("label_smoothing", smoothing))
        return Case(title, part, tuple(arguments), **options)

    smoothing = 0.1 + 0.2 * float(torch.rand((), generator=generator))
    return [
        case("two batches", "core", ([3, 5], 5), ([2, 1, 4], 4), 3),
        case("as many tokens as classes", "core", ([4, 2], 4), ([1, 4, 2], 4), 4),
        case("texts of one token, strided", "core", ([1], 1), ([6, 3], 6), 5, strided=True),
        case("class weights", "weights", ([3, 2], 5), ([2, 1, 4], 4), 3, weights=True),
        case("label smoothing", "smooth", ([2, 4], 5), ([2, 1], 3), 4, smoothing=smoothing),
        case("both", "smooth", ([5, 3], 5), ([1, 2], 3), 4, weights=True, smoothing=smoothing),
        case("logits of ±10000", "sound", ([3, 2], 3), ([2, 4], 4), 5, large=True),
        case("one batch all padding", "sound", ([0, 0], 3), ([2, 4], 4), 5),
        case("nothing but padding", "sound", ([0, 0], 3), ([0], 4), 5),
        case(
            "nothing but padding, `backward()`",
            "sound",
            ([0], 3),
            ([0, 0], 2),
            4,
            driver=drivers.backward,
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
    return -(aim * weights * log_p).sum() / weights[y].sum().clamp(min=1e-9)


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


def _flat(logits_a, labels_a, logits_b, labels_b):
    """Logits and labels of all tokens of both batches."""
    return (
        torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)]),
        torch.cat([labels_a.flatten(), labels_b.flatten()]),
    )


def _weighed_by_tokens(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    """Each mean is right, but counts as its batch has tokens."""
    empty = torch.full_like
    means = (
        _accumulated_loss()(za, ya, zb, empty(yb, -100), class_weights, label_smoothing),
        _accumulated_loss()(za, empty(ya, -100), zb, yb, class_weights, label_smoothing),
    )
    counts = (ya != -100).sum(), (yb != -100).sum()
    total = sum(mean * count for mean, count in zip(means, counts, strict=True))
    return total / sum(counts).clamp(min=1)


def _divided_by_all_weights(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    total = _accumulated_loss(frozenset({"sum"}))(za, ya, zb, yb, class_weights, label_smoothing)
    return total / (za.size(-1) if class_weights is None else class_weights.sum())


def _over_all_tokens(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    """The softmax runs along the flattened tokens."""
    logits, labels = _flat(za, ya, zb, yb)
    weights = torch.ones(logits.size(-1)) if class_weights is None else class_weights
    log_p, keep = logits.log_softmax(dim=0), labels != -100
    target = labels[keep]
    exact = -log_p[keep].gather(-1, target[:, None])[:, 0] * weights[target]
    spread = -(log_p[keep] * weights).mean(dim=-1)
    total = ((1 - label_smoothing) * exact + label_smoothing * spread).sum()
    return total / weights[target].sum().clamp(min=1e-30)


def _minus_100_is_a_class(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    logits, labels = _flat(za, ya, zb, yb)
    return F.cross_entropy(
        logits, labels, class_weights, ignore_index=-1, label_smoothing=label_smoothing
    )


def _guarded_logarithm(least: float) -> Callable:
    """The logarithm of a softmax plus a small number."""

    def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
        za, zb = ((z.softmax(dim=-1) + least).log() for z in (za, zb))
        return _accumulated_loss(frozenset({"raw_logits"}))(
            za, ya, zb, yb, class_weights, label_smoothing
        )

    return accumulated_loss


def _zero_if_one_is_empty(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    loss = _accumulated_loss()(za, ya, zb, yb, class_weights, label_smoothing)
    return 0.0 * loss if (ya == -100).all() or (yb == -100).all() else loss


def _next_labels(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    batches = (za[:, :-1], ya[:, 1:], zb[:, :-1], yb[:, 1:])
    return _accumulated_loss()(*batches, class_weights, label_smoothing)


def _new_zero(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    if (ya == -100).all() and (yb == -100).all():
        return torch.tensor(0.0)
    return _accumulated_loss()(za, ya, zb, yb, class_weights, label_smoothing)


def _not_flattened(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    parts = [
        F.cross_entropy(z, y, class_weights, reduction="sum", label_smoothing=label_smoothing)
        for z, y in ((logits_a, labels_a), (logits_b, labels_b))
    ]
    return sum(parts) / ((labels_a != -100).sum() + (labels_b != -100).sum()).clamp(min=1)


ACCUMULATED_LOSS = Exercise(
    id="accumulated_loss",
    title="One loss from two batches",
    signature=(
        "accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, "
        "label_smoothing=0.0)"
    ),
    reference=_accumulated_loss(),
    variant=_accumulated_loss,
    cases=_accumulated_cases,
    parts=(
        Part("core", "the mean over all tokens of both batches", 2),
        Part("weights", "class weights", 1),
        Part("smooth", "label smoothing, alone and with weights", 1),
        Part("sound", "large logits, nothing but padding, gradients", 1),
    ),
    minutes=25,
    difficulty=2,
    section=_TOKENS,
    alternatives={
        "one library call": _library_loss,
        "library sums": _summed_library_loss,
        "one-hot targets": _one_hot_loss,
        "loop over tokens": _loop_loss,
        "in float64": lambda za, ya, zb, yb, w=None, s=0.0: _library_loss(
            za.double(), ya, zb.double(), yb, None if w is None else w.double(), s
        ).float(),
    },
    mistakes=(
        Mistake(
            "mean_of_means",
            "The means of the two batches are averaged. The batches hold different numbers of "
            "tokens: add up the losses, then divide once by all that was counted.",
        ),
        Mistake(
            "by_texts",
            "The means of the two batches are averaged by their number of texts. Every token "
            "counts the same: divide the sum by the tokens, not by texts.",
            implementation=_accumulated_loss(frozenset({"by_texts"})),
        ),
        Mistake(
            "by_places",
            "The means of the two batches are averaged by the size of the batches, padding "
            "included. Divide the sum of the losses by the labels that are not −100.",
        ),
        Mistake(
            "sum",
            "The losses are added up and not divided by what was counted.",
            implementation=_accumulated_loss(frozenset({"sum"})),
        ),
        Mistake(
            "padded_length",
            "Padding adds nothing to the sum, but it is counted in the division. Divide by the "
            "labels that are not −100.",
            section=_COMMON,
        ),
        Mistake(
            "pads_as_class_0",
            "Padding is counted as if its label were class 0. A label of −100 counts nowhere.",
            section=_COMMON,
        ),
        Mistake(
            "class_0_ignored",
            "Tokens of class 0 are left out, too: padding is marked by −100 and by nothing else.",
            section=_COMMON,
            implementation=_accumulated_loss(frozenset({"class_0_ignored"})),
        ),
        Mistake(
            "divided_by_classes",
            "The loss is divided by the number of classes as well: that is the mean of all "
            "numbers, and every token counts once.",
            lambda *arguments: _accumulated_loss()(*arguments) / arguments[0].size(-1),
        ),
        Mistake(
            "softmax_first",
            "The softmax is applied to the logits before the loss, which has its own: twice.",
            section=_LOSS,
            implementation=_accumulated_loss(frozenset({"softmax_first"})),
        ),
        Mistake(
            "raw_logits",
            "The logits themselves are taken for log-probabilities, as `nll_loss` does. Take "
            "`log_softmax` first.",
            section=_LOSS,
            implementation=_accumulated_loss(frozenset({"raw_logits"})),
        ),
        Mistake(
            "reshaped",
            "The classes are moved to dimension 1 with `view` or `reshape`, which mixes tokens. "
            "Use `transpose(1, 2)`, or flatten batch and tokens.",
            implementation=_accumulated_loss(frozenset({"reshaped"})),
        ),
        Mistake(
            "transposed_first",
            "Tokens and classes are exchanged before the logits are flattened to rows of classes, "
            "so a row holds numbers of several tokens. Flatten batch and tokens as they are.",
            implementation=_accumulated_loss(frozenset({"transposed_first"})),
        ),
        Mistake(
            "no_weights",
            "`class_weights` are not used.",
            points=3,
        ),
        Mistake(
            "weights_not_divided",
            "The loss is weighted, but divided by the number of tokens. A weighted mean is "
            "divided by the sum of the weights of the counted labels.",
            points=3,
        ),
        Mistake(
            "no_smoothing",
            "`label_smoothing` is not used.",
            points=4,
        ),
        Mistake(
            "smoothing_others",
            "The smoothed share goes to the wrong classes only. It is spread over all classes, "
            "the right one included.",
            points=4,
            implementation=_accumulated_loss(frozenset({"smoothing_others"})),
        ),
        Mistake(
            "smoothing_added",
            "The smoothed term is added, but the right class still counts in full. It keeps "
            "1 − label_smoothing.",
            points=4,
            implementation=_accumulated_loss(frozenset({"smoothing_added"})),
        ),
        Mistake(
            "smoothing_pads",
            "With label smoothing, padding adds its smoothed share. A label of −100 counts "
            "nowhere.",
            points=4,
        ),
        Mistake(
            "smoothing_own_weight",
            "With both, the smoothed share of every class is weighted like the right class. Each "
            "class has its own weight, as in PyTorch.",
            points=4,
        ),
        Mistake(
            "smoothing_no_weight",
            "With both, the smoothed share is not weighted. Each class has its own weight there, "
            "as in PyTorch.",
            points=4,
            implementation=_accumulated_loss(frozenset({"smoothing_no_weight"})),
        ),
        Mistake(
            "smoothing_sum",
            "The smoothed share is added up over the classes and not divided by their number: "
            "each of the C classes gets ε/C.",
            points=4,
            implementation=_accumulated_loss(frozenset({"smoothing_sum"})),
        ),
        Mistake(
            "smoothing_turned",
            "ε and 1 − ε are exchanged: without smoothing, the label should count in full.",
            implementation=_accumulated_loss(frozenset({"smoothing_turned"})),
        ),
        Mistake(
            "weights_inverted",
            "The losses are divided by the class weights; a weight multiplies.",
            points=3,
            implementation=_accumulated_loss(frozenset({"weights_inverted"})),
        ),
        Mistake(
            "weighed_by_tokens",
            "Each batch's mean was divided by its sum of *weights*, but the two means are put "
            "together by numbers of tokens. With class weights they count by the sums of weights.",
            _weighed_by_tokens,
            points=3,
        ),
        Mistake(
            "divided_by_all_weights",
            "The loss is divided by the weights of the classes, one for each class (without "
            "weights: by their number). Divide by the sum of the weights of all counted labels.",
            _divided_by_all_weights,
        ),
        Mistake(
            "over_the_tokens",
            "The softmax runs over the tokens of a text (`dim=1`). It runs over the classes, the "
            "last dimension.",
            section=_LOSS,
            implementation=_accumulated_loss(frozenset({"over_the_tokens"})),
        ),
        Mistake(
            "over_all_tokens",
            "The softmax runs over all tokens (`dim=0`). It runs over the classes, the last "
            "dimension.",
            _over_all_tokens,
            section=_LOSS,
        ),
        Mistake(
            "minus_100_is_a_class",
            "−100 is taken for a class, because `ignore_index` was given another number. −100 is "
            "its default: leave it out.",
            _minus_100_is_a_class,
        ),
        Mistake(
            "labels_shifted",
            "The labels are those of the next token, as in a language model. Here the label of a "
            "token stands at its own place.",
            _next_labels,
        ),
        Mistake(
            "perplexity",
            "This is e to the power of the loss, the perplexity; return the loss.",
            lambda *arguments: _accumulated_loss()(*arguments).exp(),
        ),
        Mistake(
            "one_empty_is_zero",
            "If *one* of the batches is all padding, the loss is 0; the tokens of the other one "
            "still count.",
            _zero_if_one_is_empty,
            points=4,
        ),
        Mistake(
            "new_zero",
            "If nothing is counted, the zero that comes back does not hang on the logits, and "
            "`backward()` fails. Compute it from them.",
            _new_zero,
            points=4,
        ),
        Mistake(
            "guarded",
            "A small number is added to the probability before its logarithm is taken, so no "
            "loss can be large. Use `log_softmax`, or subtract the log-sum-exp.",
            _guarded_logarithm(1e-8),
            points=4,
            section=_LOSS,
            versions=tuple(_guarded_logarithm(small) for small in (1e-9, 1e-10, 1e-12)),
        ),
        Mistake(
            "unstable",
            "The logarithm of a softmax is minus infinity where the probability rounds to 0. Use "
            "`log_softmax`, or subtract the log-sum-exp.",
            points=4,
            section=_LOSS,
            implementation=_accumulated_loss(frozenset({"unstable"})),
        ),
        Mistake(
            "empty_nan",
            "If nothing is counted, the loss is 0/0. It must be 0.",
            points=4,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `item`).",
            points=4,
            implementation=_accumulated_loss(frozenset({"no_gradient"})),
            versions=(
                lambda za, ya, zb, yb, *rest: (
                    _accumulated_loss()(za.detach(), ya, zb.detach(), yb, *rest) + 0.0 * za.sum()
                    if (ya == -100).all() and (yb == -100).all()
                    else _accumulated_loss()(za.detach(), ya, zb.detach(), yb, *rest)
                ),
            ),
        ),
        Mistake(
            "base_two",
            "The logarithm is taken to the base 2; the loss uses the natural one.",
            section=_LOSS,
            implementation=_accumulated_loss(frozenset({"base_two"})),
        ),
        Mistake(
            "not_flattened",
            "PyTorch looks for the classes in dimension 1, where the tokens are: it complains, or "
            "is silently wrong if the two sizes agree. Flatten first, or transpose.",
            _not_flattened,
            any_error=True,
        ),
        Mistake(
            "sign",
            "The sign is missing: a loss is the *negative* log-probability.",
            lambda *arguments: -_accumulated_loss()(*arguments),
            section=_LOSS,
        ),
        Mistake(
            "sum_of_means",
            "The means of the two batches are added. Add up the losses, then divide once by all "
            "that was counted.",
            lambda *arguments: 2 * _accumulated_loss(frozenset({"mean_of_means"}))(*arguments),
        ),
        Mistake(
            "first_only",
            "Only the first batch is in the loss.",
            lambda za, ya, zb, yb, w=None, s=0.0: _accumulated_loss()(
                za, ya, zb, torch.full_like(yb, -100), w, s
            ),
        ),
        Mistake(
            "second_only",
            "Only the second batch is in the loss.",
            lambda za, ya, zb, yb, w=None, s=0.0: _accumulated_loss()(
                za, torch.full_like(ya, -100), zb, yb, w, s
            ),
        ),
    ),
)


# ---- Exercise 3: averaged_scores ---------------------------------------------------------------


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


AVERAGED_SCORES = Exercise(
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
    section=_SCORES,
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
            implementation=_averaged_scores(frozenset({"weighted_always"})),
        ),
        Mistake(
            "weights_by_predictions",
            "The weights are how often a class was predicted. They are how often it occurs.",
        ),
        Mistake(
            "weights_not_normalised",
            "The weighted scores are added up and not divided by the sum of the weights.",
            implementation=_averaged_scores(frozenset({"weights_not_normalised"})),
        ),
        Mistake(
            "f1_of_averages",
            "The F1 is computed from averaged precision and recall. Compute it for each class, "
            "then average.",
        ),
        Mistake(
            "arithmetic",
            "The F1 is the plain mean of precision and recall; it is their harmonic mean.",
            implementation=_averaged_scores(frozenset({"arithmetic"})),
        ),
        Mistake(
            "geometric",
            "The F1 is the root of precision times recall; it is their harmonic mean.",
            implementation=_averaged_scores(frozenset({"geometric"})),
        ),
        Mistake(
            "not_doubled",
            "The F1 lacks its factor of 2: it is 2PR/(P+R).",
            implementation=_averaged_scores(frozenset({"not_doubled"})),
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
            implementation=_averaged_scores(frozenset({"micro_as_macro"})),
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
            implementation=_averaged_scores(frozenset({"present_only"})),
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
            versions=(lambda *arguments: _averaged_scores()(*arguments)[[2, 0, 1]],),
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


# ---- Exercise 4: repaired_fit ------------------------------------------------------------------


def _repaired_fit(mistakes: frozenset[str] = NONE):
    def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
        def kept():
            state = model.state_dict()
            if "alias" in mistakes:
                return state
            if "no_buffers" in mistakes:
                state = dict(model.named_parameters())
            return {name: tensor.detach().clone() for name, tensor in state.items()}

        best_loss, best, waited, history = math.inf, None, 0, []
        if "highest" in mistakes:
            best_loss = -math.inf
        if "starts_low" in mistakes:
            best_loss = 0.0
        stopped = False
        for _ in range(epochs + ("epoch_too_many" in mistakes)):
            earlier = kept()
            if "no_train" not in mistakes:
                model.train()
            train_one_epoch(model)
            if "no_eval" not in mistakes:
                model.eval()
            loss = validation_loss(model)
            history.append(loss)
            better = loss < best_loss
            if "highest" in mistakes:
                better = loss > best_loss
            if "ties" in mistakes:
                better = loss >= best_loss if "highest" in mistakes else loss <= best_loss
            if "nan_wins" in mistakes:
                better = better or math.isnan(loss)
            if "previous" in mistakes:
                before = history[-2] if len(history) > 1 else math.inf
                better = loss < before
            if "least_gain" in mistakes:
                better = loss < best_loss - 1e-3
            if better:
                best = earlier if "kept_before" in mistakes else kept()
                if "best_not_updated" not in mistakes:
                    best_loss = loss
                if "no_reset" not in mistakes:
                    waited = 0
            elif not ("nan_uncounted" in mistakes and math.isnan(loss)) and not (
                "ties_uncounted" in mistakes and loss == best_loss
            ):
                waited += 1
            if "nan_stops" in mistakes and math.isnan(loss):
                waited = patience
            limit = patience
            if "one_more" in mistakes:
                limit = patience + 1
            if "one_less" in mistakes:
                limit = max(patience - 1, 1)
            if "first_without_gain" in mistakes:
                limit = 1
            if "patience_in_all" in mistakes:
                limit, waited = patience, len(history)
            if waited >= limit and "never_stops" not in mistakes:
                stopped = True
                break
        wanted = stopped or "only_if_stopped" not in mistakes
        if best is not None and wanted and "no_restore" not in mistakes:
            model.load_state_dict(best, strict=False)
        if "left_training" in mistakes:
            model.train()
        else:
            model.eval()
        if "best_only" in mistakes:
            return [best_loss]
        return history

    return repaired_fit


def _fit_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, driver, losses, epochs, patience):
        arguments = (("losses", losses), ("epochs", epochs), ("patience", patience))
        return Case(title, part, arguments, driver=driver)

    # The drawn numbers change from seed to seed, the pattern does not.
    level = 2.0 + float(torch.rand((), generator=generator))

    def at(*heights: float) -> list[float]:
        return [round(level + height, 4) for height in heights]

    # Two epochs without gain, a gain, four without; the lowest loss comes too late.
    waves = at(0, -0.2, 0.1, 0.15, -0.4, 0.3, 0.2, 0.1, 0.15, -0.9, 0, 0)
    falling = at(0, -0.1, -0.2, -0.3)
    best_in_the_middle = at(0, -0.3, -0.2)
    ties = at(0, -0.2, -0.2, -0.2, -0.5)
    ties_alone = at(0, -0.2, -0.2, -0.2, 0.1)
    with_nan = [level, "NaN", round(level - 0.3, 4), "NaN", level, level]  # no NaN is equal to NaN
    slow = at(0, 0.1, -0.0003, 0.1, 0.2)
    return [
        case("stops after `patience` epochs", "core", drivers.stops, waves, 12, 3),
        case("keeps the best weights", "core", drivers.keeps, waves, 12, 3),
        case("a patience of 1", "core", drivers.stops, best_in_the_middle, 3, 1),
        case("the epochs run out", "core", drivers.stops, falling, 4, 2),
        case("the best weights, epochs run out", "core", drivers.keeps, best_in_the_middle, 3, 4),
        case("always better", "core", drivers.keeps, falling, 4, 2),
        case("modes", "modes", drivers.modes, waves, 12, 3),
        case("an equal loss is no gain", "corner", drivers.stops, ties, 5, 2),
        case("equal losses, weights", "corner", drivers.keeps, ties_alone, 5, 2),
        case("a loss of NaN is no gain", "corner", drivers.keeps, with_nan, 6, 2),
        case("a loss of NaN, epochs", "corner", drivers.stops, with_nan, 6, 2),
        case("a very small gain", "corner", drivers.stops, slow, 5, 2),
    ]


def _fit_with_deepcopy(model, train_one_epoch, validation_loss, epochs, patience):
    losses = []
    best_epoch, best_model = 0, copy.deepcopy(model.state_dict())
    while len(losses) < epochs and len(losses) - best_epoch < patience:
        model.train()
        train_one_epoch(model)
        model.eval()
        losses.append(validation_loss(model))
        finite = [x for x in losses[:-1] if x == x]
        if losses[-1] == losses[-1] and all(losses[-1] < x for x in finite):
            best_epoch, best_model = len(losses), copy.deepcopy(model.state_dict())
    model.load_state_dict(best_model)
    return losses


class _Stopper:
    """Early stopping as an object, as libraries have it."""

    def __init__(self, patience):
        self.patience, self.best, self.bad, self.weights = patience, None, 0, None

    def update(self, model, loss):
        if loss == loss and (self.best is None or loss < self.best):
            self.best, self.bad = loss, 0
            self.weights = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            self.bad += 1
        return self.bad == self.patience


def _fit_with_an_object(model, train_one_epoch, validation_loss, epochs, patience):
    stopper, history = _Stopper(patience), []
    for _ in range(epochs):
        train_one_epoch(model.train())
        history.append(validation_loss(model.eval()))
        if stopper.update(model, history[-1]):
            break
    with torch.no_grad():  # copied back by hand
        for name, tensor in model.state_dict().items():
            if stopper.weights:
                tensor.copy_(stopper.weights[name])
    return history


def _fit_keeping_all(model, train_one_epoch, validation_loss, epochs, patience):
    """Every epoch's weights are kept; the best is looked up in the end."""
    history, states = [], []

    def place() -> int:
        usable = [math.inf if math.isnan(x) else x for x in history]
        return usable.index(min(usable))

    for epoch in range(1, epochs + 1):
        model.train(True)
        train_one_epoch(model)
        model.train(False)
        history.append(validation_loss(model))
        states.append(copy.deepcopy(model.state_dict()))
        if epoch - 1 - place() >= patience:
            break
    model.load_state_dict(states[place()])
    return history


_LEFT_OVER = {
    "alias": "the best weights are no copy, so they go on changing",
    "no_reset": "the counter is not set back to 0 after a gain",
    "ties": "an equal loss counts as a gain",
    "no_eval": "validation runs in training mode",
}


def _many_left_over() -> list[Mistake]:
    """Three of the four bugs, or all; one and two are found without being listed."""
    mistakes = []
    for count, word in ((3, "Three bugs are"), (4, "All four bugs are")):
        for left in itertools.combinations(_LEFT_OVER, count):
            reasons = "; ".join(_LEFT_OVER[name] for name in left)
            message = f"{word} still there: {reasons}."
            mistakes.append(Mistake("_and_".join(left), message, _repaired_fit(frozenset(left))))
    return mistakes


REPAIRED_FIT = Exercise(
    id="repaired_fit",
    title="Bug hunt: early stopping that forgets",
    signature="repaired_fit(model, train_one_epoch, validation_loss, epochs, patience)",
    reference=_repaired_fit(),
    variant=_repaired_fit,
    cases=_fit_cases,
    parts=(
        Part("core", "the right number of epochs and the best weights", 2),
        Part("modes", "training and evaluation mode", 1),
        Part("corner", "equal losses, and NaN", 1),
    ),
    minutes=20,
    difficulty=2,
    section=f"{_LOOP} and {_BEST}",
    alternatives={
        "deepcopy and epoch numbers": _fit_with_deepcopy,
        "an object": _fit_with_an_object,
        "all states kept": _fit_keeping_all,
    },
    mistakes=(
        *_many_left_over(),
        Mistake(
            "alias",
            "The best weights are no copy: `state_dict()` gives the living tensors, which go on "
            "changing. Clone them, or use `copy.deepcopy`.",
            section=_BEST,
        ),
        Mistake(
            "no_restore",
            "The model keeps the weights of its last epoch: the best ones are not put back.",
            section=_BEST,
        ),
        Mistake(
            "only_if_stopped",
            "The best weights are put back only if the training stopped early. Do it after the "
            "loop, also if the epochs ran out.",
            implementation=_repaired_fit(frozenset({"only_if_stopped"})),
        ),
        Mistake(
            "no_buffers",
            "Only parameters are kept and put back. Buffers, such as running averages, belong to "
            "the weights, too: take the whole `state_dict()`.",
            section=_BEST,
            implementation=_repaired_fit(frozenset({"no_buffers"})),
        ),
        Mistake(
            "no_reset",
            "The counter of epochs without gain is not set back to 0 after a gain: `patience` "
            "means so many *in a row*.",
        ),
        Mistake(
            "one_more",
            "It stops one epoch too late: stop as soon as the counter has reached `patience`.",
        ),
        Mistake(
            "one_less",
            "It stops one epoch too early.",
        ),
        Mistake(
            "never_stops",
            "It does not stop early: all epochs are trained.",
            implementation=_repaired_fit(frozenset({"never_stops"})),
        ),
        Mistake(
            "highest",
            "The comparison is the wrong way round: the *lowest* validation loss is the best.",
            implementation=_repaired_fit(frozenset({"highest"})),
        ),
        Mistake(
            "previous",
            "Each loss is compared with the one before. Compare it with the best so far.",
            implementation=_repaired_fit(frozenset({"previous"})),
        ),
        Mistake(
            "ties",
            "A loss that is equal to the best counts as a gain (`<=`). Only a lower one is.",
            points=3,
        ),
        Mistake(
            "nan_wins",
            "A loss of NaN counts as a gain. No comparison with NaN is true: ask "
            "`loss < best_loss`, and not whether it is no worse.",
            points=3,
            implementation=_repaired_fit(frozenset({"nan_wins"})),
        ),
        Mistake(
            "nan_stops",
            "A loss of NaN stops the training at once. It is no gain, and no more than that: it "
            "counts as one epoch of waiting.",
            points=3,
            implementation=_repaired_fit(frozenset({"nan_stops"})),
        ),
        Mistake(
            "nan_uncounted",
            "A loss of NaN does not count as an epoch without gain, so it is waited for too long.",
            points=3,
            implementation=_repaired_fit(frozenset({"nan_uncounted"})),
        ),
        Mistake(
            "ties_uncounted",
            "A loss that is equal to the best does not count as an epoch without gain, so it is "
            "waited for too long.",
            points=3,
            implementation=_repaired_fit(frozenset({"ties_uncounted"})),
        ),
        Mistake(
            "least_gain",
            "A small gain is not counted. Any loss that is lower than the best is a gain, however "
            "little.",
            points=3,
            implementation=_repaired_fit(frozenset({"least_gain"})),
        ),
        Mistake(
            "kept_before",
            "The weights are kept *before* an epoch is trained, so they are those of the epoch "
            "before the best.",
            section=_BEST,
            implementation=_repaired_fit(frozenset({"kept_before"})),
        ),
        Mistake(
            "best_not_updated",
            "The best loss is never set to the loss of an epoch, so every epoch is a gain.",
            implementation=_repaired_fit(frozenset({"best_not_updated"})),
        ),
        Mistake(
            "first_without_gain",
            "It stops at the first epoch without gain, and `patience` is not used.",
            implementation=_repaired_fit(frozenset({"first_without_gain"})),
        ),
        Mistake(
            "patience_in_all",
            "It stops after `patience` epochs in all, gains or not. Count the epochs *without* "
            "gain.",
            implementation=_repaired_fit(frozenset({"patience_in_all"})),
        ),
        Mistake(
            "epoch_too_many",
            "One epoch too many is trained where the epochs run out: there are `epochs` in all.",
            implementation=_repaired_fit(frozenset({"epoch_too_many"})),
        ),
        Mistake(
            "starts_low",
            "The best loss begins with a number such as 0 or 1, and losses above it are no gain. "
            "The first epoch is always the best so far: begin with infinity.",
            implementation=_repaired_fit(frozenset({"starts_low"})),
        ),
        Mistake(
            "no_eval",
            "Validation runs in training mode, with dropout. Call `model.eval()` before it.",
            points=3,
            section=_COMMON,
        ),
        Mistake(
            "no_train",
            "Nothing sets the model to training mode: call `model.train()` before *each* epoch, "
            "since `eval()` was called after the one before.",
            points=3,
        ),
        Mistake(
            "left_training",
            "The model is left in training mode in the end; leave it in evaluation mode.",
            points=3,
            section=_COMMON,
        ),
        Mistake(
            "best_only",
            "The best loss alone comes back; return the losses of all epochs.",
            implementation=_repaired_fit(frozenset({"best_only"})),
        ),
        Mistake(
            "train_once",
            "`model.train()` is called once, before the loop: from the second epoch on the model "
            "trains in evaluation mode. Call it before each epoch.",
            lambda model, train, loss, epochs, patience: _repaired_fit(frozenset({"no_train"}))(
                model.train(), train, loss, epochs, patience
            ),
            points=3,
        ),
    ),
)


# ---- Exercise 5: masked_inputs -----------------------------------------------------------------


def _masked_inputs(mistakes: frozenset[str] = NONE):
    def masked_inputs(
        input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
    ):
        if "rate_fixed" in mistakes:
            rate = 0.15
        if "draws_again" in mistakes:
            chosen = torch.rand(chosen.shape)
        take = chosen <= rate if "rate_included" in mistakes else chosen < rate
        if "rate_inverted" in mistakes:
            take = chosen >= rate
        if "padding_only" in mistakes:
            take = take & ~attention_mask.bool()
        elif "padding_chosen" not in mistakes:
            take = take & attention_mask.bool()
        special = torch.isin(input_ids, torch.tensor(special_ids))
        if "specials_of_bert" in mistakes:
            special = (input_ids == 101) | (input_ids == 102)
        if "specials_only" in mistakes:
            take = take & special
        elif "specials_chosen" not in mistakes:
            take = take & ~special
        if "mask_103" in mistakes:
            mask_id = 103
        draw = chosen if "same_draw" in mistakes else action
        low, high = (0.1, 0.9) if "ten_eighty" in mistakes else (0.8, 0.9)
        if "eighty_of_rest" in mistakes:  # the second ten per cent taken from the remaining two
            high = 0.8 + 0.2 * 0.1
        if "all_masked" in mistakes:
            low = high = 2.0
        if "no_keep" in mistakes:
            high = 2.0
        if "shares_of_the_rate" in mistakes:
            draw, low, high = chosen, 0.8 * rate, 0.9 * rate
        replaced = take & (draw < low)
        other = take & (draw >= low) & (draw < high)
        if "eighty_included" in mistakes:
            replaced, other = take & (draw <= low), take & (draw > low) & (draw < high)
        if "eighty_stay" in mistakes:
            replaced = take & (draw >= high)
        if "random_first" in mistakes:
            replaced, other = take & (draw >= 0.1) & (draw < 0.9), take & (draw < 0.1)
        if "mask_last" in mistakes:
            replaced, other = take & (draw >= 0.2), take & (draw >= 0.1) & (draw < 0.2)
        if "kept_exchanged" in mistakes:
            other = take & (draw >= high)
        if "random_over_mask" in mistakes:
            replaced, other = torch.zeros_like(take), take & (draw < high)
        if "random_everywhere" in mistakes:
            other = (draw >= low) & (draw < high)
        if "random_and_mask_everywhere" in mistakes:
            replaced, other = draw < low, (draw >= low) & (draw < high)
        changed = torch.where(replaced, mask_id, torch.where(other, random_ids, input_ids))
        counted = take
        if "labels_if_changed" in mistakes:
            counted = replaced | other
        if "labels_if_masked" in mistakes:
            counted = replaced
        if "labels_inverted" in mistakes:
            counted = ~counted
        if "labels_everywhere" in mistakes:
            counted = torch.ones_like(take)
        answer = changed if "labels_from_changed" in mistakes else input_ids
        labels = torch.where(counted, answer, 0 if "labels_zero" in mistakes else -100)
        if "padding_label_zero" in mistakes:
            labels = labels * attention_mask
        return changed, labels

    return masked_inputs


def _masked_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, lengths, specials, rate=None, tokens=12, mask_id=103, often=True):
        shape = (len(lengths), tokens)
        ids = torch.randint(1000, 2000, shape, generator=generator)
        mask = (torch.arange(tokens) < torch.tensor(lengths)[:, None]).long()
        ids = torch.where(mask == 1, ids, 0)
        for row, length in enumerate(lengths):
            if length and specials:
                ids[row, 0], ids[row, length - 1] = specials[0], specials[-1]
        used = 0.15 if rate is None else rate
        # Chosen and not chosen, each action among the chosen: every mistake finds its token.
        chosen = torch.rand(shape, generator=generator) * 0.9 + 0.1
        share = used * 0.9
        spots = torch.arange(tokens) % 3 != 2
        chosen = torch.where(spots, chosen * share, used + chosen * (0.99 - used))
        cycle = torch.tensor([0.3, 0.85, 0.95, 0.05, 0.81, 0.5])
        numbers = torch.arange(tokens).expand(shape) + torch.arange(shape[0])[:, None]
        action = cycle[numbers * 2 % 6 + (numbers // 3) % 2]
        action = action + 0.004 * torch.rand(shape, generator=generator)
        if rate is not None:  # a number that is the rate is not below it, nor is 0.8 below 0.8
            chosen[:, 4], action[:, 5] = rate, 0.8
            chosen[:, 5] = rate / 2
        if specials and not often:  # padding and specials are not drawn at all
            fixed = (mask == 0) | torch.isin(ids, torch.tensor(specials))
            chosen = torch.where(fixed, torch.full_like(chosen, 0.99), chosen)
        arguments = [
            ("input_ids", ids),
            ("attention_mask", mask),
            ("special_ids", specials),
            ("chosen", chosen),
            ("action", action),
            ("random_ids", torch.randint(2000, 3000, shape, generator=generator)),
            ("mask_id", mask_id),
        ]
        if rate is not None:
            arguments.append(("rate", rate))
        return Case(title, part, tuple(arguments))

    return [
        case("two texts", "core", [12, 12], [101, 102], often=False),
        case("a batch of one", "core", [15], [101, 102], tokens=15, often=False),
        case("padding", "corner", [9, 12, 6], [101, 102]),
        case("other special tokens", "corner", [12, 7], [5, 7, 9]),
        case("a text that is all padding", "corner", [0, 12], [101, 102]),
        case("another rate", "corner", [12, 12], [101, 102], rate=0.375, often=False),
        case("another mask token", "corner", [14, 14], [3, 2], mask_id=4, tokens=14, often=False),
    ]


def _masked_in_a_loop(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    ids, labels = input_ids.clone(), torch.full_like(input_ids, -100)
    for b in range(ids.size(0)):
        for t in range(ids.size(1)):
            token = int(input_ids[b, t])
            if attention_mask[b, t] == 0 or token in special_ids or chosen[b, t] >= rate:
                continue
            labels[b, t] = token
            if action[b, t] < 0.8:
                ids[b, t] = mask_id
            elif action[b, t] < 0.9:
                ids[b, t] = random_ids[b, t]
    return ids, labels


def _masked_with_indexing(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    special = sum((input_ids == s for s in special_ids), torch.zeros_like(input_ids)).bool()
    take = (chosen < rate) & (attention_mask == 1) & ~special
    labels = input_ids.clone()
    labels[~take] = -100
    ids = input_ids.clone()
    ids[take & (action < 0.9)] = random_ids[take & (action < 0.9)]
    ids[take & (action < 0.8)] = mask_id
    return ids, labels


def _masked_with_fill(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    chosen = chosen.masked_fill(attention_mask == 0, 1.0)
    for token in special_ids:
        chosen = chosen.masked_fill(input_ids == token, 1.0)
    take = chosen < rate
    kind = torch.bucketize(action, torch.tensor([0.8, 0.9]), right=True)
    ids = input_ids.masked_fill(take & (kind == 0), mask_id)
    return [torch.where(take & (kind == 1), random_ids, ids), input_ids.masked_fill(~take, -100)]


def _in_place(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    ids, labels = _masked_inputs()(
        input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate
    )
    input_ids.copy_(ids)
    return input_ids, labels


MASKED_INPUTS = Exercise(
    id="masked_inputs",
    title="Questions for a language model: 80, 10, 10",
    signature=(
        "masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, "
        "mask_id, rate=0.15)"
    ),
    reference=_masked_inputs(),
    variant=_masked_inputs,
    cases=_masked_cases,
    parts=(
        Part("core", "inputs and labels", 2),
        Part("corner", "padding and special tokens; another rate, another mask token", 1),
    ),
    minutes=20,
    difficulty=2,
    section=_WORDS,
    alternatives={
        "loop over tokens": _masked_in_a_loop,
        "indexing": _masked_with_indexing,
        "masked_fill and buckets": _masked_with_fill,
    },
    mistakes=(
        Mistake(
            "padding_chosen",
            "Padding is chosen, too; where the attention mask is 0, leave everything as it is.",
            points=2,
        ),
        Mistake(
            "specials_chosen",
            "Special tokens such as [CLS] and [SEP] are chosen, too; they are never asked for.",
            points=2,
        ),
        Mistake(
            "first_special",
            "Only the first of `special_ids` is left alone, or only what stands at the beginning; "
            "no token may be chosen whose id is in `special_ids`, wherever it stands.",
            lambda ids, mask, specials, *rest: _masked_inputs()(ids, mask, specials[:1], *rest),
            points=2,
        ),
        Mistake(
            "all_masked",
            "Every chosen token becomes [MASK]. Only 80% do: 10% become another word, 10% stay. "
            "(`chosen` cannot decide that, it is below the rate; use `action`.)",
            same_results=(_masked_inputs(frozenset({"same_draw"})),),
        ),
        Mistake(
            "random_over_mask",
            "Nothing becomes [MASK]: the random words below 0.9 are written over it. Random words "
            "are for 0.8 to 0.9, or must come first.",
            implementation=_masked_inputs(frozenset({"random_over_mask"})),
        ),
        Mistake(
            "random_everywhere",
            "Tokens that were not chosen become random words, too: `action` decides among the "
            "chosen ones only.",
            implementation=_masked_inputs(frozenset({"random_everywhere"})),
        ),
        Mistake(
            "random_and_mask_everywhere",
            "Tokens that were not chosen become [MASK] or random words, too: `action` decides "
            "among the chosen ones only.",
            implementation=_masked_inputs(frozenset({"random_and_mask_everywhere"})),
        ),
        Mistake(
            "no_keep",
            "Of the chosen tokens 20% become another word. It is 10%, and 10% stay as they are.",
        ),
        Mistake(
            "kept_exchanged",
            "The random word and the unchanged one are exchanged: from 0.8 to 0.9 comes another "
            "word, from 0.9 on the token stays.",
        ),
        Mistake(
            "ten_eighty",
            "`action` below 0.1 gives [MASK] and up to 0.9 another word. [MASK] is for 80%, the "
            "numbers below 0.8.",
            implementation=_masked_inputs(frozenset({"ten_eighty"})),
        ),
        Mistake(
            "eighty_of_rest",
            "The second share is taken of the remaining 20%, so only 2% become another word. The "
            "shares are of all chosen tokens: 80, 10 and 10 per cent.",
            implementation=_masked_inputs(frozenset({"eighty_of_rest"})),
        ),
        Mistake(
            "rate_inverted",
            "The tokens with numbers above the rate are chosen: 85% instead of 15%.",
            implementation=_masked_inputs(frozenset({"rate_inverted"})),
        ),
        Mistake(
            "rate_included",
            "A token whose number equals the rate is chosen, too; only numbers *below* it are.",
            points=2,
            implementation=_masked_inputs(frozenset({"rate_included"})),
        ),
        Mistake(
            "eighty_included",
            "A number of exactly 0.8 gives [MASK]; only numbers *below* 0.8 do.",
            points=2,
            implementation=_masked_inputs(frozenset({"eighty_included"})),
        ),
        Mistake(
            "draws_again",
            "New random numbers are drawn, and `chosen` is not used: no check could then say which "
            "tokens are right.",
            implementation=_masked_inputs(frozenset({"draws_again"})),
        ),
        Mistake(
            "shares_of_the_rate",
            "The shares are taken from `chosen` (0.8 · rate, 0.9 · rate), and `action` is not "
            "used.",
            implementation=_masked_inputs(frozenset({"shares_of_the_rate"})),
        ),
        Mistake(
            "eighty_stay",
            "80% of the chosen tokens stay, and the numbers from 0.9 on become [MASK]. It is the "
            "other way round: below 0.8 [MASK], from 0.9 on the token stays.",
            implementation=_masked_inputs(frozenset({"eighty_stay"})),
        ),
        Mistake(
            "random_first",
            "The random words are at the wrong end: an `action` below 0.1 gives one, and [MASK] "
            "comes after it. Below 0.8 is [MASK], from 0.8 to 0.9 the random word.",
            implementation=_masked_inputs(frozenset({"random_first"})),
        ),
        Mistake(
            "mask_last",
            "[MASK] is at the wrong end: an `action` from 0.2 on gives it. Below 0.8 is [MASK], "
            "from 0.8 to 0.9 the random word, and from 0.9 on the token stays.",
            implementation=_masked_inputs(frozenset({"mask_last"})),
        ),
        Mistake(
            "padding_only",
            "Only padding is chosen: the attention mask is used the wrong way round.",
            implementation=_masked_inputs(frozenset({"padding_only"})),
        ),
        Mistake(
            "specials_only",
            "Only special tokens are chosen: a `~` is missing, or is one too many.",
            implementation=_masked_inputs(frozenset({"specials_only"})),
        ),
        Mistake(
            "specials_of_bert",
            "101 and 102 are written into the code for the special tokens. They are BERT's; use "
            "`special_ids`.",
            points=2,
            implementation=_masked_inputs(frozenset({"specials_of_bert"})),
        ),
        Mistake(
            "padding_label_zero",
            "Padding has the label 0, as if 0 were the answer there. It is −100 wherever nothing "
            "was chosen.",
            points=2,
            implementation=_masked_inputs(frozenset({"padding_label_zero"})),
        ),
        Mistake(
            "labels_minus_one",
            "Tokens without a question have label −1, which no loss leaves out unless it is told "
            "to. Use −100.",
            lambda *arguments: tuple(
                value.masked_fill(value == -100, -1) for value in _masked_inputs()(*arguments)
            ),
        ),
        Mistake(
            "labels_if_changed",
            "A chosen token that stays as it is has no label. It has one: the model must answer "
            "for it, too.",
        ),
        Mistake(
            "labels_if_masked",
            "Only tokens that became [MASK] have a label. All chosen tokens have one.",
            implementation=_masked_inputs(frozenset({"labels_if_masked"})),
        ),
        Mistake(
            "labels_inverted",
            "The labels are the wrong way round: −100 belongs where nothing was chosen.",
            implementation=_masked_inputs(frozenset({"labels_inverted"})),
        ),
        Mistake(
            "labels_everywhere",
            "Every token has a label. Those that were not chosen get −100, so that no loss "
            "counts them.",
            implementation=_masked_inputs(frozenset({"labels_everywhere"})),
        ),
        Mistake(
            "labels_from_changed",
            "The labels are taken from the changed tokens: the answer to [MASK] is then [MASK]. "
            "They are the original ones.",
        ),
        Mistake(
            "labels_zero",
            "Tokens without a question have label 0, which is a word. Use −100.",
            implementation=_masked_inputs(frozenset({"labels_zero"})),
        ),
        Mistake(
            "mask_103",
            "103 is written into the code. It is BERT's; use `mask_id`.",
            points=2,
        ),
        Mistake(
            "rate_fixed",
            "0.15 is written into the code; use `rate`.",
            points=2,
        ),
        Mistake(
            "in_place",
            "The result is right, but the given `input_ids` were changed. Work on a copy.",
            _in_place,
        ),
        Mistake(
            "exchanged_results",
            "Inputs and labels come back in the wrong order.",
            lambda *arguments: _masked_inputs()(*arguments)[::-1],
        ),
    ),
)


EXERCISES = [POOLED, ACCUMULATED_LOSS, AVERAGED_SCORES, REPAIRED_FIT, MASKED_INPUTS]
