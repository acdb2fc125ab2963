"""Bug hunt: a loss that falls."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import torch
import torch.nn.functional as F

from grading.content.decoder.sections import COMMON, SHIFT
from grading.content.decoder.shared import Flags, normal
from grading.content.drawing import draw_integer
from grading.exercise import Case, Exercise, Mistake, Part

_BUGS = {
    "wrong_way": "it is shifted the wrong way, so the logits at a token are judged by the token "
    "*before* it",
    "by_id": "what is padding is read off the id 0, but 0 also ends each text, and the end must be "
    "learned: read it off `attention_mask`",
    "reshaped": "`reshape` does not move the vocabulary to axis 1, it mixes the numbers: use "
    "`transpose(1, 2)`, or flatten batch and tokens",
    "divisor": "the sum is divided by all positions, those that do not count included",
}


def _loss(wrong: Flags = frozenset()) -> Callable:
    def repaired_loss(logits, input_ids, attention_mask):
        batch, _tokens, vocab = logits.shape
        real = attention_mask.bool()
        if "wrong_way" in wrong:
            scores, targets = logits[:, 1:], input_ids[:, :-1]
            asked, asking = real[:, :-1], real[:, 1:]
        elif "unshifted" in wrong:
            scores, targets, asked, asking = logits, input_ids, real, real
        else:
            step = 2 if "twice" in wrong else 1
            scores, targets = logits[:, :-step], input_ids[:, step:]
            asked, asking = real[:, step:], real[:, :-step]
        if "cut_at_end" in wrong:
            scores, targets = logits[:, :-1], input_ids[:, :-1]
        if "cut_in_front" in wrong:
            scores, targets = logits[:, 1:], input_ids[:, 1:]
        counts = asked & asking
        if "by_id" in wrong:
            counts = targets != 0
        if "asked_only" in wrong:
            counts = asked
        if "asking_only" in wrong:
            counts = asking
        if "either" in wrong:
            counts = asked | asking
        if "first_text" in wrong:
            counts = counts & ((input_ids == 0).cumsum(1)[:, : counts.size(1)] == 0)
        if "last_left_out" in wrong:
            counts = counts & F.pad(asked, (0, 1))[:, 1:]
        if "last_cut_off" in wrong:
            counts = counts & (torch.arange(counts.size(1)) < counts.size(1) - 1)
        if "first_left_out" in wrong:
            counts = counts & F.pad(asking, (1, 0))[:, :-1]
        if "first_cut_off" in wrong:
            counts = counts & (torch.arange(counts.size(1)) > 0)
        if "padding_counts" in wrong:
            counts = torch.ones_like(counts)
        if "ends_apart" in wrong:
            counts = counts & (input_ids[:, : counts.size(1)] != 0)
        if "lengths" in wrong:
            counts = torch.arange(1, counts.size(1) + 1) < real.sum(1, keepdim=True)
        right = scores.transpose(1, 2)  # [batch, vocab, tokens]
        scores = scores.reshape(batch, vocab, -1) if "reshaped" in wrong else right
        if "softmaxed" in wrong:
            scores = scores.softmax(1)
        if "no_softmax" in wrong:
            losses = F.nll_loss(scores, targets, reduction="none")
        else:
            losses = F.cross_entropy(scores, targets, reduction="none")
        if "end_ignored" in wrong:
            losses = losses * (targets != 0)
        losses = losses.masked_fill(~counts, 0.0)
        if "divisor" in wrong:
            return losses.mean()
        if "divisor_with_last" in wrong:
            return losses.sum() / real.numel()
        if "plus_one" in wrong:
            return losses.sum() / (counts.sum() + 1)
        if "divisor_by_id" in wrong:
            return losses.sum() / (targets != 0).sum().clamp(min=1)
        if "real_tokens" in wrong:
            return losses.sum() / real.sum().clamp(min=1)
        if "sequences" in wrong:
            return (losses.sum(1) / counts.sum(1).clamp(min=1)).mean()
        if "rows_summed" in wrong:
            return (losses.sum(1) / counts.sum(1).clamp(min=1)).sum()
        if "sequences_nan" in wrong:
            return (losses.sum(1) / counts.sum(1)).mean()
        if "sequences_that_count" in wrong:
            rows = counts.any(1)
            means = (losses.sum(1) / counts.sum(1).clamp(min=1))[rows]
            return means.sum() / rows.sum().clamp(min=1)
        if "batch_divisor" in wrong:
            return losses.sum() / batch
        if "asked_divisor" in wrong:
            return losses.sum() / asked.sum().clamp(min=1)
        if "summed" in wrong:
            return losses.sum()
        if "nan" in wrong:
            return losses.sum() / counts.sum()
        return losses.sum() / counts.sum().clamp(min=1)

    return repaired_loss


_RIGHT_LOSS = _loss()


def _loss_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part="core", batch=None, left=False, lengths=None, **options):
        rows = batch or draw_integer(generator, 3, 4)
        tokens, vocab = draw_integer(generator, 6, 7), draw_integer(generator, 9, 11)
        ids = torch.randint(1, vocab, (rows, tokens), generator=generator)
        mask = torch.ones_like(ids)
        for row in range(rows):
            length = lengths[row] if lengths else tokens - (row * 2 + (batch == 1)) % (tokens - 2)
            own = slice(tokens - length, tokens) if left else slice(0, length)
            mask[row] = 0
            mask[row, own] = 1
            if length:
                ids[row, own.stop - 1] = 0  # the end of the text
            if length > 3:
                ids[row, own.stop - 3] = 0  # the end of another one before it
        ids = ids * mask  # padding is 0, too
        logits = normal(generator, rows, tokens, vocab, size=1.8)
        arguments = (("logits", logits), ("input_ids", ids), ("attention_mask", mask))
        return Case(title, part, arguments, **options)

    return [
        case("texts of different lengths"),
        case("a batch of one", batch=1),
        case("gradients", gradient=True),
        case("padding on the left", "left", left=True),
        case("padding on the left, gradients", "left", left=True, gradient=True),
        case("a text of one token", "left", batch=3, lengths=[5, 1, 3]),
        case("nothing to predict", "left", batch=2, lengths=[1, 0]),
    ]


def _loop_loss(logits, input_ids, attention_mask):
    terms = []
    for b in range(len(input_ids)):
        for t in range(input_ids.size(1) - 1):
            if attention_mask[b, t] and attention_mask[b, t + 1]:
                terms.append(-logits[b, t].log_softmax(0)[input_ids[b, t + 1]])
    return sum(terms) / len(terms) if terms else logits.sum() * 0.0


def _ignored_loss(logits, input_ids, attention_mask):
    labels = input_ids.masked_fill(attention_mask == 0, -100)[:, 1:].clone()
    labels[attention_mask[:, :-1] == 0] = -100
    if not (labels != -100).any():
        return logits.new_zeros(())
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels.flatten())


def _selected_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] * attention_mask[:, :-1]).bool()
    chosen, asked = logits[:, :-1][counts], input_ids[:, 1:][counts]
    if len(asked) == 0:
        return logits.sum() * 0
    return F.nll_loss(chosen.log_softmax(-1), asked)


def _gathered_loss(logits, input_ids, attention_mask):
    logp = (logits.double() - logits.double().logsumexp(-1, keepdim=True))[:, :-1]
    given = logp.gather(-1, input_ids[:, 1:, None]).squeeze(-1)
    weights = (attention_mask[:, 1:] * attention_mask[:, :-1]).double()
    return (-(given * weights).sum() / weights.sum().clamp(min=1.0)).to(logits.dtype)


def _rolled_loss(logits, input_ids, attention_mask):
    targets, asked = input_ids.roll(-1, 1), attention_mask.roll(-1, 1)
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    counts = attention_mask * asked
    return (losses * counts).sum() / counts.sum().clamp(min=1)


def _zeroed_logits_loss(divide_by_all: bool = True) -> Callable:
    def repaired_loss(logits, input_ids, attention_mask):
        counts = attention_mask[:, 1:] * attention_mask[:, :-1]
        scores = (logits[:, :-1] * counts[..., None]).transpose(1, 2)
        losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
        return losses.mean() if divide_by_all else losses.sum() / counts.sum().clamp(min=1)

    return repaired_loss


def _to_the_first_end(asked: bool) -> Callable:
    """What stands behind the first end that is no padding does not count, nor may this end."""

    def repaired_loss(logits, input_ids, attention_mask):
        ends = ((input_ids == 0) & (attention_mask != 0)).long()
        before = ends.cumsum(1) - ends if asked else ends.cumsum(1)
        return _RIGHT_LOSS(logits, input_ids, attention_mask * (before == 0))

    return repaired_loss


def _hidden_logits_loss(logits, input_ids, attention_mask, mean=False):
    counts = (attention_mask[:, 1:] * attention_mask[:, :-1]).bool()
    scores = logits[:, :-1].masked_fill(~counts[..., None], -math.inf)
    losses = F.cross_entropy(scores.transpose(1, 2), input_ids[:, 1:], reduction="none")
    return losses.mean() if mean else (losses * counts).sum() / counts.sum().clamp(min=1)


def _shuffled_loss(logits, input_ids, attention_mask):
    """Axes are exchanged, as it should be, and then a reshape undoes it the wrong way."""
    vocab = logits.size(-1)
    counts = (attention_mask[:, 1:] * attention_mask[:, :-1]).flatten()
    scores = logits[:, :-1].transpose(1, 2).reshape(-1, vocab)
    losses = F.cross_entropy(scores, input_ids[:, 1:].flatten(), reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)


def _plain_zero(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:] * attention_mask[:, :-1]
    return _RIGHT_LOSS(logits, input_ids, attention_mask) if counts.any() else 0.0


def _plain_integer_zero(logits, input_ids, attention_mask):
    return _plain_zero(logits, input_ids, attention_mask) or 0


def _left_over_mistakes() -> list[Mistake]:
    versions = {
        "reshaped": (_shuffled_loss,),
        "divisor": (_loss(frozenset({"divisor_with_last"})),),
    }
    mistakes = [
        Mistake(
            bug,
            f"One bug is still there: {reason}.",
            other_forms=versions.get(bug, ()),
            section=SHIFT,
        )
        for bug, reason in _BUGS.items()
    ]
    for count, word in ((2, "Two bugs are"), (3, "Three bugs are"), (4, "All four bugs are")):
        for left in combinations(_BUGS, count):
            reasons = "; ".join(_BUGS[bug] for bug in left)
            broken = _loss(frozenset(left))
            mistakes.append(
                Mistake(
                    "_and_".join(left), f"{word} still there: {reasons}.", broken, section=SHIFT
                )
            )
    return mistakes


EXERCISE = Exercise(
    id="repaired_loss",
    title="Bug hunt: a loss that falls",
    signature="repaired_loss(logits, input_ids, attention_mask)",
    reference=_RIGHT_LOSS,
    cases=_loss_cases,
    parts=(
        Part("core", "all four bugs are gone", 2),
        Part("left", "padding on the left, and texts without a prediction", 1),
    ),
    minutes=15,
    difficulty=2,
    section=COMMON,
    variant=_loss,
    alternatives={
        "loop": _loop_loss,
        "ignore_index": _ignored_loss,
        "selected by a mask": _selected_loss,
        "gathered, in float64": _gathered_loss,
    },
    mistakes=(
        *_left_over_mistakes(),
        Mistake(
            "unshifted",
            "Nothing is shifted: each token is asked for itself, which it can see. The logits at "
            "token t belong to token t + 1.",
            other_forms=(_loss(frozenset({"cut_at_end"})), _loss(frozenset({"cut_in_front"}))),
            section=SHIFT,
            alone=True,
        ),
        Mistake(
            "twice",
            "It is shifted twice: the logits at token t are judged by token t + 2.",
            alone=True,
        ),
        Mistake(
            "padding_counts",
            "Every position counts, padding included.",
            alone=True,
        ),
        Mistake(
            "asked_only",
            "With padding on the left, the last padding token is asked for the first word: what "
            "counts must be real at *both* places, t and t + 1.",
            points=2,
        ),
        Mistake(
            "asking_only",
            "The last token of a text is asked for the padding after it: what counts must be real "
            "at *both* places, t and t + 1.",
        ),
        Mistake(
            "either",
            "A prediction counts as soon as one of its two tokens is real. Both must be, t and "
            "t + 1: join the two masks by `&`, or multiply them.",
            alone=True,
        ),
        Mistake(
            "first_text",
            "Only the first text of a row counts. A row may hold several, one after the other: "
            "only `attention_mask` says where the padding begins.",
            other_forms=(_to_the_first_end(True), _to_the_first_end(False)),
            alone=True,
        ),
        Mistake(
            "last_left_out",
            "The last prediction is left out, that of the end of a text. A text of n tokens has "
            "n − 1 predictions: only one place is lost by the shift.",
            other_forms=(_loss(frozenset({"last_cut_off"})),),
            alone=True,
        ),
        Mistake(
            "first_left_out",
            "The first prediction is left out, that of a text's second token. A text of n tokens "
            "has n − 1 predictions: only one place is lost by the shift.",
            other_forms=(_loss(frozenset({"first_cut_off"})),),
            alone=True,
        ),
        Mistake(
            "plus_one",
            "The sum is divided by the number of predictions plus 1. Against a division by 0, "
            "`clamp(min=1)` changes nothing where there are some.",
            alone=True,
        ),
        Mistake(
            "divisor_by_id",
            "The sum is divided by the number of targets that are not 0. But the ends of texts are "
            "targets that count: divide by the number of predictions that count.",
            alone=True,
        ),
        Mistake(
            "end_ignored",
            "The end of a text is not asked for: `ignore_index=0` still leaves out every target 0. "
            "The model must learn to end; `attention_mask` alone decides what counts.",
            section=SHIFT,
            alone=True,
        ),
        Mistake(
            "ends_apart",
            "What follows an end within a row does not count. It should, like anything else: only "
            "padding is left out.",
            alone=True,
        ),
        Mistake(
            "lengths",
            "The number of real tokens is taken for the place where they stop. That fails if the "
            "padding stands on the left: look at each place's own entry of the mask.",
            points=2,
            alone=True,
        ),
        Mistake(
            "no_softmax",
            "`nll_loss` was given logits. It takes log-probabilities (`log_softmax`); "
            "`cross_entropy` does both.",
            section=SHIFT,
            alone=True,
        ),
        Mistake(
            "softmaxed",
            "`cross_entropy` was given probabilities. It takes logits and does the softmax itself.",
            section=SHIFT,
            alone=True,
        ),
        Mistake(
            "real_tokens",
            "The sum is divided by the number of real tokens. Divide by the number of predictions "
            "that count: a text of n tokens has n − 1.",
        ),
        Mistake(
            "batch_divisor",
            "The sum is divided by the number of rows. Divide by the number of predictions that "
            "count.",
            alone=True,
        ),
        Mistake(
            "asked_divisor",
            "The sum is divided by the number of real tokens that are asked for. With padding on "
            "the left the first one counts there, too, and nobody predicts it.",
            points=2,
            alone=True,
        ),
        Mistake(
            "sequences",
            "Each text was averaged by itself, and then the averages: a token of a short text "
            "weighs more than one of a long text. Divide the sum of all by the number of all.",
            other_forms=(
                _loss(frozenset({"sequences_nan"})),
                _loss(frozenset({"sequences_that_count"})),
            ),
        ),
        Mistake(
            "rows_summed",
            "Each text was averaged by itself, and the averages are added up. Divide the sum of "
            "all losses that count by their number.",
            alone=True,
        ),
        Mistake(
            "summed",
            "This is the sum over all predictions that count; divide by their number.",
            alone=True,
        ),
        Mistake(
            "nan",
            "Where nothing is to be predicted it gives NaN: 0 divided by 0. The loss is 0 there.",
            points=2,
        ),
        Mistake(
            "plain_zero",
            "Where nothing is to be predicted a plain Python number comes back. The loss is a "
            "tensor there, too, so that `backward` works: `logits.sum() * 0`, or `clamp(min=1)`.",
            _plain_zero,
            other_forms=(_plain_integer_zero,),
            points=2,
        ),
        Mistake(
            "rolled",
            "`roll` brings the first token to the end, and where a text fills its row its last "
            "token is asked for the first one. Cut off the last logits.",
            _rolled_loss,
        ),
        Mistake(
            "zeroed_logits",
            "The logits that do not count are made all equal, 0 or another number, but their loss "
            "is still counted: log of the vocabulary size each. Leave out their losses.",
            _zeroed_logits_loss(),
            other_forms=(_zeroed_logits_loss(divide_by_all=False),),
        ),
        Mistake(
            "hidden_logits",
            "The logits that do not count are set to −∞. A softmax of −∞ alone is NaN, and so is "
            "the loss. Leave out their losses instead.",
            _hidden_logits_loss,
            other_forms=(lambda *arguments: _hidden_logits_loss(*arguments, mean=True),),
        ),
        Mistake(
            "perplexity",
            "This is e to the power of the loss, the perplexity.",
            lambda *arguments: _RIGHT_LOSS(*arguments).exp(),
            section=SHIFT,
        ),
        Mistake(
            "negative",
            "The sign is wrong: this is the mean log-probability, and the loss is minus that.",
            lambda *arguments: -_RIGHT_LOSS(*arguments),
            section=SHIFT,
        ),
        Mistake(
            "detached",
            "The numbers are right, but they are cut off from autograd (`.item()`, `detach`), so "
            "nothing could be learned.",
            lambda *arguments: _RIGHT_LOSS(*arguments).detach(),
            other_forms=(lambda *arguments: _RIGHT_LOSS(*arguments).item(),),
        ),
        Mistake(
            "ids_changed",
            "The result is right, but `input_ids` is changed on the way: make a copy before "
            "writing −100 into it.",
            lambda logits, ids, mask: (
                _RIGHT_LOSS(logits, ids.clone(), mask),
                ids.masked_fill_(mask == 0, -100),
            )[0],
        ),
    ),
)
