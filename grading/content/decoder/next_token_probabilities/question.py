"""From logits to a draw: temperature, top-k and top-p."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.content.decoder import harnesses
from grading.content.decoder.sections import FILTERS
from grading.content.decoder.shared import normal
from grading.content.drawing import draw_integer
from grading.exercise import Case, Part, Question


def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    """The probabilities with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature == 0:
        best = logits.argmax(-1)
        return F.one_hot(best, vocab).to(logits.dtype)
    scores = logits / temperature
    keep = torch.ones_like(scores, dtype=torch.bool)
    if top_k is not None:
        smallest = scores.topk(min(top_k, vocab)).values[..., -1:]  # that is kept
        keep = scores >= smallest
    if top_p is not None and top_p < 1:  # a rounded sum may reach 1 too early
        left = scores.masked_fill(~keep, -math.inf).softmax(-1)
        ordered, order = left.sort(descending=True, stable=True)
        before = F.pad(ordered.cumsum(-1)[..., :-1], (1, 0))  # the sum of all more likely ones
        outside = before >= top_p
        keep = keep & ~outside.scatter(-1, order, outside)
    result = scores.masked_fill(~keep, -math.inf).softmax(-1)
    return result


def _clear_logits(
    generator: torch.Generator,
    shape: tuple[int, ...],
    settings: tuple,
    differ: tuple[str | tuple[str, str], ...],
) -> Tensor:
    """Draw logits without near ties, on which a right result is safe and wrong ones show.

    ``differ``: mistakes whose results are not right, and pairs with different results; for each a
    name that :meth:`Exercise.wrong` knows.
    """
    temperature, top_k, top_p = settings
    while True:
        logits = normal(generator, *shape, size=1.6)
        if temperature == 100:  # far below 0, so that a number that stands for a cut one is near
            logits = logits - 90
        if temperature < 0.1:  # the first two of the first row are near: a higher one would show
            row = logits.view(-1, shape[-1])[0]
            best, second = row.topk(2).indices
            row[second] = row[best] - max(6e-3, 7.5 * temperature)
        if float(logits.sort(-1).values.diff(dim=-1).min()) < 5e-3:
            continue
        expected = next_token_probabilities(logits, *settings)
        if top_p is not None:
            kept = next_token_probabilities(logits, temperature, top_k)
            reached = kept.sort(descending=True).values.cumsum(-1)
            if float((reached - top_p).abs().min()) < 5e-3:
                continue
        pairs = [
            [_wrong(name)(logits, *settings) for name in names]
            if isinstance(names, tuple)
            else [expected, _wrong(names)(logits, *settings)]
            for names in differ
        ]
        if all(float((one - other).abs().max()) > 5e-3 for one, other in pairs):
            return logits


def _wrong(name: str) -> Callable:
    from . import EXERCISE  # which has the bank, that stands on this module

    return EXERCISE.wrong(name)


def _probabilities_cases(generator: torch.Generator) -> list[Case]:
    def draw(low, high):
        return round(low + (high - low) * float(torch.rand((), generator=generator)), 2)

    def case(
        title,
        part,
        shape=None,
        settings=(1.0, None, None),
        differ=(),
        zero=False,
        **options,
    ):
        rows = draw_integer(generator, 2, 3)
        shape = shape or (rows, draw_integer(generator, 8, 10))
        logits = _clear_logits(generator, shape, settings, differ)
        if zero:  # as the largest of each row
            logits = logits - logits.amax(-1, keepdim=True)
        names = ("logits", "temperature", "top_k", "top_p")
        return Case(title, part, tuple(zip(names, (logits, *settings), strict=True)), **options)

    def called_again(title, part, *settings):
        calls = [
            (_clear_logits(generator, (4, 11), own or (1.0, None, None), ()), *own)
            for own in settings
        ]
        names = ("logits", "temperature", "top_k", "top_p")
        return Case(title, part, tuple(zip(names, calls[0], strict=True)), again=tuple(calls[1:]))

    both = ("p_before_k", "crossing_dropped", "crossing_and_next", "no_top_k")
    tails = (("threshold", "tail_of_p"), ("threshold", "tail_of_p~1"))
    thresholds = ("whole_batch", "smallest_threshold", "smallest_threshold~1")
    return [
        case("cold", "core", settings=(draw(0.4, 0.7), None, None)),
        case("hot", "core", (9, 9), (draw(1.5, 2.5), None, None), gradient=True),
        case(
            "top-k",
            "core",
            settings=(1.0, draw_integer(generator, 3, 4), None),
            differ=thresholds,
            gradient=True,
        ),
        case("top-k of 1, a batch of one", "core", (1, 9), (1.0, 1, None), zero=True),
        case(
            "top-k, as hot as can be", "core", settings=(100.0, draw_integer(generator, 2, 3), None)
        ),
        case("gradients", "core", settings=(0.7, 3, None), gradient=True),
        called_again(
            "called again, other logits and settings, then the logits alone",
            "core",
            *((0.8, 3, None), (0.8, 3, None), (1.6, 4, None), ()),  # once the logits alone
        ),
        called_again(
            "called again, another top-p",
            "nucleus",
            (1.0, None, 0.5),
            (1.0, None, 0.8),
            (1.0, 5, 0.5),
        ),
        case(
            "top-p",
            "nucleus",
            settings=(1.0, None, draw(0.6, 0.8)),
            differ=("crossing_dropped", "crossing_and_next", "not_scattered", "threshold"),
        ),
        case(
            "a very small top-p, one row, no batch",
            "nucleus",
            (9,),
            settings=(1.0, None, 0.05),
            differ=tails,
        ),
        case("top-p, a batch of texts", "nucleus", (2, 3, 7), (1.5, None, 0.7), gradient=True),
        case(
            "top-p, hot",
            "nucleus",
            settings=(draw(1.8, 2.5), None, draw(0.6, 0.7)),
            differ=("temperature_last", "crossing_dropped"),
        ),
        case(
            "top-k, then top-p",
            "nucleus",
            settings=(1.0, 5, draw(0.6, 0.75)),
            differ=both,
            gradient=True,
        ),
        _whole_nucleus(generator),
        case("temperature 0", "corner", settings=(0.0, None, None)),
        case("temperature 0 with filters", "corner", (2, 3, 8), (0.0, 3, 0.5)),
        case("a temperature near 0", "corner", settings=(0.004, None, None)),
        _nearly_zero(generator),
        case("k larger than the vocabulary", "corner", settings=(0.8, 20, None), gradient=True),
        case("k as large as the vocabulary", "corner", (2, 9), settings=(0.8, 9, None)),
        case("one row, no batch", "corner", shape=(9,), settings=(0.8, 4, None)),
        case(
            "four axes, exact zeros",
            "corner",
            (2, 1, 3, 7),
            (1.5, 6, None),
            harness=harnesses.exact_zeros,
        ),
    ]


def _whole_nucleus(generator: torch.Generator) -> Case:
    """A `top_p` of 1, which the rounded sum of all probabilities does not reach."""
    while True:
        logits = normal(generator, 12, size=1.6)
        reached = logits.softmax(-1).sort(descending=True).values.cumsum(-1)[-1]
        if float(reached) < 1 and float(logits.sort(-1).values.diff(dim=-1).min()) > 5e-3:
            break
    arguments = (("logits", logits), ("temperature", 1.0), ("top_k", None), ("top_p", 1.0))
    return Case("a top-p of 1 keeps all, no batch", "nucleus", arguments)


def _nearly_zero(generator: torch.Generator) -> Case:
    """A temperature at which even the largest logit lies below what cut ones may be set to."""
    while True:
        logits = normal(generator, 2, 9, size=1.6)
        logits -= torch.tensor([[float(logits[0].max())], [40.0]])
        best = logits.topk(2).values
        if float((best[:, 0] - best[:, 1]).min()) > 0.1:
            break
    logits[0, logits[0].topk(2).indices[1]] = -3e-6  # the best is 0: any other temperature shows
    arguments = (("logits", logits), ("temperature", 1e-6), ("top_k", 3))
    return Case("a temperature of nearly 0, top-k", "corner", arguments)


def _loop_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        if temperature == 0:
            rows.append(torch.zeros_like(row).index_fill(0, row.argmax(), 1.0))
            continue
        exponentials = (row / temperature - (row / temperature).max()).exp()
        order = sorted(range(len(row)), key=lambda i: -float(row[i].detach()))
        order = order[: top_k or len(row)]
        detached = exponentials.detach()
        whole, so_far, kept = float(detached[order].sum()), 0.0, []
        for i in order:
            if top_p is not None and kept and so_far / whole >= top_p:
                break
            kept.append(i)
            so_far += float(detached[i])
        stays = torch.zeros(len(row)).index_fill(0, torch.tensor(kept), 1.0)
        rows.append(exponentials * stays / (exponentials * stays).sum())
    return torch.stack(rows).reshape(logits.shape)


def _sorted_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        temperature, top_k, top_p = 1.0, 1, None
    values, order = (logits.double() / temperature).sort(dim=-1, descending=True)
    p = values.softmax(-1)
    if top_k is not None:
        p = torch.cat([p[..., :top_k], torch.zeros_like(p[..., top_k:])], -1)
        p = p / p.sum(-1, keepdim=True)
    if top_p is not None:
        reached = p.cumsum(-1)
        reached = torch.cat([torch.zeros_like(reached[..., :1]), reached[..., :-1]], -1)
        p = torch.where(reached < top_p, p, 0.0)
        p = p / p.sum(-1, keepdim=True)
    return torch.zeros_like(p).scatter(-1, order, p).to(logits.dtype)


def _hugging_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    """The filters as Hugging Face writes them: ascending order, the smallest are removed."""
    if temperature == 0:
        return (logits == logits.amax(-1, keepdim=True)).to(logits.dtype)
    scores = logits / temperature
    if top_k is not None:
        remove = scores < torch.topk(scores, min(top_k, scores.size(-1)))[0][..., -1, None]
        scores = scores.masked_fill(remove, -math.inf)
    if top_p is not None:
        ordered, order = torch.sort(scores, descending=False)
        remove = ordered.softmax(dim=-1).cumsum(dim=-1) <= 1 - top_p
        remove[..., -1:] = False
        scores = scores.masked_fill(remove.scatter(-1, order, remove), -math.inf)
    return scores.softmax(-1)


def _pairwise_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    """Without sorting: compare each token with each other."""
    larger = logits[..., None, :] > logits[..., :, None]  # [..., token, other]
    rank = larger.sum(-1)
    if temperature == 0:
        return (rank == 0).to(logits.dtype)
    keep = rank < (top_k or logits.size(-1))
    p = (logits / temperature).masked_fill(~keep, -math.inf).softmax(-1)
    if top_p is not None:
        before = (larger * p[..., None, :]).sum(-1)
        p = p * (before < top_p)
    return p / p.sum(-1, keepdim=True)


QUESTION = Question(
    id="next_token_probabilities",
    title="From logits to a draw",
    signature="next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None)",
    reference=next_token_probabilities,
    cases=_probabilities_cases,
    parts=(
        Part("core", "temperature and top-k", 2),
        Part("nucleus", "top-p, alone and after the others", 1),
        Part("corner", "temperature 0, a large k, any number of axes", 1),
    ),
    minutes=20,
    difficulty=2,
    section=FILTERS,
    alternatives={
        "loop over rows": _loop_probabilities,
        "sorted, in float64": _sorted_probabilities,
        "as Hugging Face": _hugging_probabilities,
        "without sorting": _pairwise_probabilities,
    },
)
