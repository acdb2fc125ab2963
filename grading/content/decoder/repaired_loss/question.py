"""Bug hunt: a loss of the next token that is shifted the wrong way, and three bugs more."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from grading.content.decoder import harnesses
from grading.content.decoder.sections import COMMON
from grading.content.decoder.shared import normal
from grading.content.drawing import draw_integer
from grading.exercise import Case, Part, Question


def repaired_loss(logits, input_ids, attention_mask):
    """The mean loss of the next token over all predictions that count."""
    shifted = logits[:, :-1]
    targets = input_ids[:, 1:]
    real = attention_mask != 0
    asking, asked = real[:, :-1], real[:, 1:]
    counts = asking & asked
    losses = F.cross_entropy(shifted.transpose(1, 2), targets, reduction="none")
    loss = (losses * counts).sum() / counts.sum().clamp(min=1)
    return loss


def _loss_cases(generator: torch.Generator) -> list[Case]:
    def case(
        title, part="core", batch=None, left=False, lengths=None, sizes=None, sure=False, **options
    ):
        rows = batch or draw_integer(generator, 3, 4)
        tokens, vocab = draw_integer(generator, 6, 7), draw_integer(generator, 9, 11)
        rows, tokens, vocab = sizes or (rows, tokens, vocab)
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
        if sure:  # of a right token, whose loss is exactly 0, and of a wrong one
            logits[0, 0, ids[0, 1]] += 50
            logits[0, 1, (ids[0, 2] + 1) % vocab] += 50
        arguments = (("logits", logits), ("input_ids", ids), ("attention_mask", mask))
        return Case(title, part, arguments, **options)

    def called_again():
        sizes = (5, 8, 12)  # of no other case
        first, other = (
            case("", lengths=lengths, sizes=sizes) for lengths in ([8, 8, 8, 8, 8], [2, 6, 3, 8, 4])
        )
        again = (tuple(value for _, value in other.arguments),)
        return Case("called again, other texts", "core", first.arguments, again=again)

    return [
        case("texts of different lengths", sizes=(6, 6, 6), sure=True),
        case("a batch of one, two tokens", lengths=[2], sizes=(1, 2, 10)),
        case("gradients", sizes=(4, 10, 9), gradient=True),
        called_again(),
        case("padding on the left", "left", batch=3, left=True, lengths=[4, 2, 5]),
        case("padding on the left, gradients", "left", left=True, gradient=True),
        case("texts of one token and of none", "left", batch=4, lengths=[5, 1, 0, 3]),
        case("nothing to predict", "left", batch=2, lengths=[1, 0]),
        case(
            "nothing to predict, `backward()`",
            "left",
            batch=2,
            lengths=[0, 1],
            harness=harnesses.with_gradient,
        ),
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
        return logits.sum() * 0.0
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


QUESTION = Question(
    id="repaired_loss",
    title="Bug hunt: a loss that falls",
    signature="repaired_loss(logits, input_ids, attention_mask)",
    reference=repaired_loss,
    cases=_loss_cases,
    parts=(
        Part("core", "all four bugs are gone", 2),
        Part("left", "padding on the left, and texts without a prediction", 1),
    ),
    minutes=15,
    difficulty=2,
    section=COMMON,
    alternatives={
        "loop": _loop_loss,
        "ignore_index": _ignored_loss,
        "selected by a mask": _selected_loss,
        "gathered, in float64": _gathered_loss,
    },
)
