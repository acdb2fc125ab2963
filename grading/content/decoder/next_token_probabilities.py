"""From logits to a draw: temperature, top-k and top-p."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.content.common import cut_off, kept
from grading.content.decoder import harnesses
from grading.content.decoder.sections import COMMON, FILTERS, TEMPERATURE
from grading.content.decoder.shared import mutation_of, normal
from grading.content.drawing import draw_integer
from grading.exercise import Case, Exercise, Mistake, Part


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


_BEFORE = "F.pad(ordered.cumsum(-1)[..., :-1], (1, 0))"  # what several mistakes rewrite


def _clear_logits(
    generator: torch.Generator,
    shape: tuple[int, ...],
    settings: tuple,
    differ: tuple[str | tuple[str, str], ...],
) -> Tensor:
    """Draw logits without near ties, on which a right result is safe and wrong ones show.

    ``differ``: mistakes whose results are not right, and pairs with different results; for each a
    name that :func:`mutation_of` knows.
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


@functools.cache
def _wrong(name: str) -> Callable:
    return EXERCISE.mutant(mutation_of(EXERCISE, name))


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


_ALONG_1 = [  # the vocabulary is looked for along axis 1
    ("logits.size(-1)", "logits.size(1)"),
    (
        "topk(min(top_k, vocab)).values[..., -1:]",
        "topk(min(top_k, vocab), dim=1).values[:, -1:]",
    ),
    (
        "left = scores.masked_fill(~keep, -math.inf).softmax(-1)",
        "left = scores.masked_fill(~keep, -math.inf).softmax(1)",
    ),
    ("sort(descending", "sort(dim=1, descending"),
    (_BEFORE, "ordered.cumsum(1) - ordered"),
    ("scatter(-1", "scatter(1"),
    (
        "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
        "result = scores.masked_fill(~keep, -math.inf).softmax(1)",
    ),
]
_LOW = "scores.masked_fill(~keep, -1e4)"
_GREEDY = (
    "    if temperature == 0:\n"
    "        best = logits.argmax(-1)\n"
    "        return F.one_hot(best, vocab).to(logits.dtype)\n"
)


EXERCISE = Exercise(
    id="next_token_probabilities",
    title="From logits to a draw",
    signature="next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None)",
    reference=next_token_probabilities,
    combined=(
        "multiplied",
        "small_fill",
        "one_less",
        "not_renormalised",
        "crossing_dropped",
        "crossing_and_next",
        "p_before_k",
        "not_scattered",
        "no_limit",
    ),
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
    mistakes=(
        Mistake(
            "multiplied",
            "The logits are multiplied by the temperature; divide by it. A temperature below 1 "
            "must make the largest probability larger.",
            [("logits / temperature", "logits * temperature")],
            section=TEMPERATURE,
        ),
        Mistake(
            "no_temperature",
            "`temperature` is not used.",
            [("logits / temperature", "logits")],
            section=TEMPERATURE,
        ),
        Mistake(
            "temperature_last",
            "The filters looked at the logits before they were divided by the temperature. Divide "
            "first: it changes what top-p keeps.",
            [
                ("logits / temperature", "logits"),
                ("result = scores", "result = (scores / temperature)"),
            ],
            points=3,
        ),
        Mistake(
            "small_fill",
            "The logits that are cut are set to about 0 (such as 1e-10). That is no small logit: "
            "e⁰ = 1. Set them to −∞.",
            [
                (
                    "result = scores.masked_fill(~keep, -math.inf)",
                    "result = scores.masked_fill(~keep, 1e-10)",
                )
            ],
            other_forms=(
                [
                    (
                        "left = scores.masked_fill(~keep, -math.inf)",
                        "left = scores.masked_fill(~keep, 1e-10)",
                    ),
                    (
                        "result = scores.masked_fill(~keep, -math.inf)",
                        "result = scores.masked_fill(~keep, 1e-10)",
                    ),
                ],
            ),
            section=COMMON,
        ),
        Mistake(
            "no_top_k",
            "`top_k` is not used.",
            [("        keep = scores >= smallest\n", "")],
        ),
        Mistake(
            "one_more",
            "Top-k keeps k + 1 tokens: in descending order the smallest that is kept is number "
            "k − 1, counted from 0.",
            [("min(top_k, vocab)", "min(top_k + 1, vocab)")],
            section=COMMON,
        ),
        Mistake(
            "one_less",
            "Top-k keeps k − 1 tokens: the k-th largest must stay, so cut what is "
            "*smaller* than it.",
            [("min(top_k, vocab)", "max(1, min(top_k - 1, vocab))")],
            other_forms=([("scores >= smallest", "(scores > smallest) | (top_k >= vocab)")],),
        ),
        Mistake(
            "not_renormalised",
            "What is cut gets 0, but the others are not enlarged: the rows sum to less than 1. Cut "
            "logits before the softmax, or divide by the new sum.",
            [
                (
                    "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                    "result = scores.softmax(-1) * keep",
                )
            ],
        ),
        Mistake(
            "k_not_renormalised",
            "After top-k the rows sum to less than 1: what is cut gets 0, but the others are not "
            "enlarged. Cut logits before the softmax, or divide by the new sum.",
            [
                (
                    "left = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                    "left = scores.softmax(-1) * keep",
                ),
                (
                    "    return result",
                    "    if top_p is None:\n"
                    "        result = scores.softmax(-1) * keep\n"
                    "    return result",
                ),
            ],
        ),
        Mistake(
            "whole_batch",
            "Top-k keeps k tokens of the whole batch. Each row has its own k-th largest logit: "
            "`topk` along the last axis, and keep that axis with `[..., -1:]`.",
            [
                (
                    "scores.topk(min(top_k, vocab)).values[..., -1:]",
                    "scores.flatten().topk(min(top_k, vocab)).values[-1]",
                )
            ],
        ),
        Mistake(
            "smallest_threshold",
            "There is one top-k threshold for all rows. Each row has its own k-th largest logit: "
            "take it along the last axis, and keep that axis with `[..., -1:]`.",
            [("values[..., -1:]", "values[..., -1:].min()")],
            other_forms=(
                [("values[..., -1:]", "values[..., -1:].max()")],
                [("values[..., -1:]", "values[..., -1:].flatten()[0]")],
            ),
        ),
        Mistake(
            "best_cut",
            "Top-k cuts the k most likely tokens and keeps the others: what is *smaller* than the "
            "k-th largest is to be cut.",
            [("scores >= smallest", "scores < smallest")],
            other_forms=([("scores >= smallest", "(scores < smallest) | (top_k >= vocab)")],),
        ),
        Mistake(
            "lost_axis",
            "The k-th largest logits have lost their last axis: they are `[batch]` beside logits "
            "of `[batch, vocab]`. `[..., -1:]`, or `keepdim=True`, keeps it.",
            [("values[..., -1:]", "values[..., -1]")],
        ),
        Mistake(
            "softmax_twice",
            "A softmax is given probabilities. It takes logits: probabilities lie between 0 and 1, "
            "and what a second softmax makes of them is nearly uniform.",
            [("logits / temperature", "(logits / temperature).softmax(-1)")],
            other_forms=([("return result", "return result.softmax(-1)")],),
        ),
        Mistake(
            "heated_twice",
            "The logits are divided by the temperature twice. Once is enough, before the filters.",
            [("logits / temperature", "logits / temperature / temperature")],
            other_forms=([("result = scores", "result = (scores / temperature)")],),
            section=TEMPERATURE,
        ),
        Mistake(
            "none_compared",
            "`top_k` and `top_p` may be None, and None cannot be compared with a number: ask "
            "whether they are `not None` first.",
            [("top_k is not None", "top_k > 0")],
            other_forms=([("top_p is not None and top_p < 1", "top_p < 1")],),
        ),
        Mistake(
            "after_softmax",
            "The probabilities are divided by the temperature, so they no longer sum to 1. Divide "
            "the logits, before the softmax.",
            [("logits / temperature", "logits"), ("return result", "return result / temperature")],
            section=TEMPERATURE,
        ),
        Mistake(
            "only_kept",
            "With top-k only the k probabilities that are left come back. All tokens need one, "
            "those that are cut 0, in the order of the vocabulary.",
            [
                (
                    "return result",
                    "return result if top_k is None else "
                    "result.sort(descending=True).values[..., :top_k]",
                )
            ],
        ),
        Mistake(
            "ids",
            "The id of a token comes back, drawn or the most likely one. Asked for are the "
            "probabilities with which it is drawn.",
            [
                ("return F.one_hot(best, vocab).to(logits.dtype)", "return best"),
                ("return result", "return result.argmax(-1)"),
            ],
            other_forms=(
                [
                    ("return F.one_hot(best, vocab).to(logits.dtype)", "return best[..., None]"),
                    ("return result", "return result.argmax(-1, keepdim=True)"),
                ],
                [
                    ("return F.one_hot(best, vocab).to(logits.dtype)", "return best[..., None]"),
                    ("return result", "return result.multinomial(1)"),
                ],
                [
                    ("return F.one_hot(best, vocab).to(logits.dtype)", "return best"),
                    ("return result", "return result.multinomial(1).squeeze(-1)"),
                ],
            ),
        ),
        Mistake(
            "no_top_p",
            "`top_p` is not used.",
            [("        keep = keep & ~outside.scatter(-1, order, outside)\n", "")],
            points=3,
        ),
        Mistake(
            "crossing_dropped",
            "The token whose probability makes the sum reach p is cut. The nucleus is the smallest "
            "set whose sum *reaches* p, so this token belongs to it.",
            [("before >= top_p", "(before + ordered > top_p) & (before > 0)")],
            points=3,
        ),
        Mistake(
            "first_dropped",
            "What makes the sum larger than p is cut, be it the first token: then no token is "
            "left, and the softmax of −∞ alone is NaN. Cut a token if those *before* it reach p.",
            [("before >= top_p", "before + ordered > top_p")],
            points=3,
        ),
        Mistake(
            "crossing_and_next",
            "The nucleus has one token too many: it is complete as soon as its sum reaches p.",
            [
                (
                    "        keep = keep &",
                    "        outside = outside & outside.roll(1, -1)\n        keep = keep &",
                )
            ],
            points=3,
        ),
        Mistake(
            "p_before_k",
            "Top-p was taken of all tokens, not of those that top-k left. Top-k comes first, and "
            "what is left counts as 1.",
            [("left = scores.masked_fill(~keep, -math.inf)", "left = scores")],
            other_forms=([("top_k is not None", "top_k is not None and top_p is None")],),
            points=3,
        ),
        Mistake(
            "tail_of_p",
            "What is cut are the least likely tokens that sum to p. It is the other way round: "
            "what *stays* sums to p at least, so at most 1 − p is cut.",
            [("before >= top_p", "1 - before <= top_p")],
            other_forms=([("before >= top_p", "(1 - before - ordered < top_p) & (before > 0)")],),
            points=3,
        ),
        Mistake(
            "first_not_kept",
            "Where the most likely token alone has more than p, it is cut, too, and nothing is "
            "left: a softmax of −∞ alone is NaN. At least one token always stays.",
            [
                (
                    "before >= top_p",
                    "torch.cat([ordered[..., :1] > top_p, before[..., 1:] >= top_p], -1)",
                )
            ],
            points=3,
        ),
        Mistake(
            "share_of_the_largest",
            "What is cut is less likely than `top_p` times the most likely token (“min-p”). Top-p "
            "compares sums: those of the tokens that are more likely.",
            [("outside = before >= top_p", "outside = ordered < top_p * ordered[..., :1]")],
            points=3,
        ),
        kept(
            [
                ("top_p=None):", "top_p=None, kept={}):"),
                (
                    "    result =",
                    "    keep = kept.setdefault((scores.shape, top_k, top_p), keep)\n    result =",
                ),
            ],
        ),
        Mistake(
            "sum_along_0",
            "The running sum for top-p goes along another axis than the vocabulary. It needs "
            "`cumsum(dim=-1)`.",
            [(_BEFORE, "ordered.cumsum(0) - ordered")],
            other_forms=([(_BEFORE, "ordered.cumsum(1) - ordered")],),
            points=3,
        ),
        Mistake(
            "sum_of_logits",
            "The running sum for top-p is made of logits. Probabilities are summed: softmax first.",
            [
                (
                    "left = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                    "left = scores.masked_fill(~keep, -math.inf)",
                )
            ],
            points=3,
        ),
        Mistake(
            "sum_unsorted",
            "The running sum for top-p goes through the vocabulary in its own order. Sort the "
            "probabilities first, the largest in front.",
            [
                ("ordered, order = left.sort(descending=True, stable=True)", "ordered = left"),
                ("outside.scatter(-1, order, outside)", "outside"),
            ],
            points=3,
        ),
        Mistake(
            "nucleus_cut",
            "Top-p cuts the most likely tokens, whose sum reaches p, and keeps the others. They "
            "are what stays.",
            [("before >= top_p", "before < top_p")],
            points=3,
        ),
        Mistake(
            "not_scattered",
            "What top-p cuts was found in sorted order, and was cut at the same places of the "
            "*unsorted* logits. Bring it back into the order of the vocabulary first.",
            [("outside.scatter(-1, order, outside)", "outside")],
            points=3,
        ),
        Mistake(
            "gathered",
            "What top-p cuts was found in sorted order, and `gather` (or an index) does not bring "
            "it back: it sorts once more. `scatter` puts each mark where its token came from.",
            [("outside.scatter(-1, order, outside)", "outside.gather(-1, order)")],
            points=3,
        ),
        Mistake(
            "p_ascending",
            "Top-p adds up the *least* likely tokens first: the order is ascending where it should "
            "be descending.",
            [("descending=True", "descending=False")],
            points=3,
        ),
        Mistake(
            "p_not_renormalised",
            "After top-p the rows sum to less than 1: what is cut gets 0, but the others are not "
            "enlarged. Cut logits before the softmax, or divide by the new sum.",
            [("return result", "return result if top_p is None else left * keep")],
            points=3,
        ),
        Mistake(
            "sorted_by_p",
            "With top-p the probabilities come back sorted, and nobody knows which token they "
            "belong to. Bring them back into the order of the vocabulary.",
            [
                (
                    "return result",
                    "return result if top_p is None else result.sort(descending=True).values",
                )
            ],
            points=3,
        ),
        Mistake(
            "one_filter",
            "If both `top_k` and `top_p` are given, only top-k is done (`elif`). Top-p follows, on "
            "what top-k has left.",
            [("    if top_p", "    elif top_p")],
            points=3,
        ),
        Mistake(
            "threshold",
            "Each token's own probability was compared with p. Top-p compares the sum, of the "
            "token and of all that are more likely.",
            [
                (
                    "~outside.scatter(-1, order, outside)",
                    "(left >= ordered[..., :1].clamp(max=top_p))",
                )
            ],
            points=3,
        ),
        Mistake(
            "sorted_result",
            "The probabilities are right but sorted, and nobody knows which token they belong to. "
            "Bring them back into the order of the vocabulary.",
            [
                (
                    "return F.one_hot(best, vocab).to(logits.dtype)",
                    "return F.one_hot(best, vocab).to(logits.dtype).sort(descending=True).values",
                ),
                ("return result", "return result.sort(descending=True).values"),
            ],
        ),
        Mistake(
            "logits_returned",
            "These are the filtered logits; the softmax at the end is missing.",
            [
                (
                    "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                    "result = scores.masked_fill(~keep, -math.inf)",
                )
            ],
        ),
        Mistake(
            "logarithms",
            "These are logarithms of the probabilities (`log_softmax`).",
            [
                (
                    "return F.one_hot(best, vocab).to(logits.dtype)",
                    "return F.one_hot(best, vocab).to(logits.dtype).log()",
                ),
                ("return result", "return result.log()"),
            ],
        ),
        Mistake(
            "smallest_kept",
            "The filters keep the *least* likely tokens: the order is ascending where it should be "
            "descending.",
            [
                ("scores.topk", "(-scores).topk"),
                ("scores >= smallest", "-scores >= smallest"),
                ("left = scores", "left = (-scores)"),
            ],
        ),
        Mistake(
            "least_likely_k",
            "Top-k keeps the *least* likely tokens. It keeps the most likely ones: their logits "
            "are the largest.",
            [
                ("scores.topk", "(-scores).topk"),
                ("scores >= smallest", "-scores >= smallest"),
            ],
        ),
        Mistake(
            "softmax_over_batch",
            "The softmax runs over the batch. It belongs to the vocabulary, `dim=-1`, so that each "
            "row sums to 1.",
            [
                (
                    "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                    "result = scores.masked_fill(~keep, -1e9).softmax(0)",
                )
            ],
            other_forms=(
                [
                    (
                        "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                        "result = scores.masked_fill(~keep, -math.inf).softmax(0)",
                    )
                ],
                [
                    (
                        "left = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                        "left = scores.masked_fill(~keep, -math.inf).softmax(0)",
                    ),
                    (
                        "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                        "result = scores.masked_fill(~keep, -math.inf).softmax(0)",
                    ),
                ],
            ),
        ),
        Mistake(
            "always_greedy",
            "Every row is 1 at its largest logit: that is greedy, whatever the settings.",
            [
                (
                    "    if temperature == 0:\n        best = logits.argmax(-1)\n        return F",
                    "    best = logits.argmax(-1)\n    return F",
                )
            ],
            section="“Write” in chapter 8",
        ),
        Mistake(
            "first_row",
            "All rows keep the tokens of the first one. Each row has its own.",
            [("    result =", "    keep = keep.reshape(-1, vocab)[0]\n    result =")],
        ),
        cut_off([("return result", "return result.detach()")], "detached"),
        Mistake(
            "in_place",
            "The logits that were given are changed in place, by `/=` or by writing into them. "
            "Whoever calls the function needs them again: divide with `/`, cut with `masked_fill`.",
            [("    return result", "    logits.detach().div_(temperature)\n    return result")],
            other_forms=(
                [
                    (
                        "    scores = logits / temperature",
                        "    logits /= temperature\n    scores = logits",
                    )
                ],
                [
                    (
                        "    return result",
                        "    if temperature == 1:\n"
                        "        logits.detach().masked_fill_(~keep, -math.inf)\n"
                        "    return result",
                    )
                ],
            ),
        ),
        Mistake(
            "no_zero",
            "With temperature 0 the logits are divided by 0. As T falls to 0 the most likely token "
            "gets everything: give it 1.",
            [(_GREEDY, "")],
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "zero_is_one",
            "Temperature 0 is treated as if there were no temperature (in Python 0 counts as "
            "False). As T falls to 0 the most likely token gets everything: give it 1.",
            [(_GREEDY, "    temperature = temperature or 1.0\n")],
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "zero_in_batch",
            "With temperature 0 only the largest logit of the whole batch gets 1. Each row has its "
            "own: `argmax(dim=-1)`.",
            [(".to(logits.dtype)", ".to(logits.dtype) * (logits == logits.max())")],
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "temperature_floor",
            "A small temperature is raised to a larger one, such as 0.1. Every temperature above 0 "
            "is the one that was asked for.",
            [("logits / temperature", "logits / max(temperature, 0.1)")],
            other_forms=tuple(
                [("logits / temperature", f"{these} / max(temperature, {least})")]
                for these in ("logits", "(logits - logits.amax(-1, True))")
                for least in (1e-5, 0.001, 0.01, 0.05)
            ),
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "nearly_zero",
            "With temperature 0 the logits are divided by a small number that is not small enough: "
            "where two are near, both get a share. Give 1 to the largest instead.",
            [(_GREEDY, "    temperature = max(temperature, 1e-3)\n")],
            other_forms=(
                [(_GREEDY, "    temperature = max(temperature, 1e-2)\n")],
                [(_GREEDY, "    temperature = max(temperature, 2e-3)\n")],
                [(_GREEDY, "    temperature = max(temperature, 5e-2)\n")],
            ),
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "finite_fill",
            "The logits that are cut are set to a low number, such as −1000. Divided by a "
            "temperature of nearly 0, those that stay may lie lower still, and what was cut wins. "
            "Set it to −∞.",
            [
                ("left = scores.masked_fill(~keep, -math.inf)", f"left = {_LOW}"),
                ("result = scores.masked_fill(~keep, -math.inf)", f"result = {_LOW}"),
            ],
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "lowered",
            "The logits that are cut are lowered by a number, such as 50, so their probability is "
            "small and not 0. Set them to −∞.",
            [
                ("left = scores.masked_fill(~keep, -math.inf)", "left = (scores - 50.0 * ~keep)"),
                (
                    "result = scores.masked_fill(~keep, -math.inf)",
                    "result = (scores - 50.0 * ~keep)",
                ),
            ],
            points=3,
        ),
        Mistake(
            "by_hand",
            "At a temperature near 0 the result is NaN: exponentials (or powers of probabilities) "
            "taken by hand become infinite, or all of them 0, before they are divided by their "
            "sum. What does `softmax` subtract first?",
            [
                (
                    "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                    "result = scores.exp() * keep / (scores.exp() * keep).sum(-1, keepdim=True)",
                )
            ],
            other_forms=(
                [
                    (
                        "scores = logits / temperature",
                        "scores = (logits.softmax(-1) ** (1 / temperature)).log()",
                    )
                ],
            ),
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "zero_integers",
            "With temperature 0 the result is made of integers, as `one_hot` gives them. It must "
            "have the dtype of the logits.",
            [(".to(logits.dtype)", "")],
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "zero_index",
            "With temperature 0 the id of the token comes back. Asked for are probabilities here, "
            "too: 1 at this token, 0 elsewhere.",
            [("F.one_hot(best, vocab).to(logits.dtype)", "best")],
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "no_limit",
            "`topk` fails if k is larger than the vocabulary; take the smaller of the two.",
            [("min(top_k, vocab)", "top_k")],
            points=3,
            any_error=True,
        ),
        Mistake(
            "limit_less",
            "Where k is larger than the vocabulary, one token is cut. Then all of them stay: the "
            "limit is the vocabulary's size, and no less.",
            [("min(top_k, vocab)", "min(top_k, vocab - 1)")],
            points=3,
        ),
        Mistake(
            "zero_softmax",
            "With temperature 0 a softmax follows after the most likely token got its 1, and gives "
            "the others a share again.",
            [(".to(logits.dtype)", ".to(logits.dtype).softmax(-1)")],
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "k_of_two_axes",
            "Top-k works for two axes only. `[..., -1:]` takes the last number however many axes "
            "stand before it, `[:, [-1]]` does not.",
            [
                (
                    "topk(min(top_k, vocab)).values[..., -1:]",
                    "topk(min(top_k, vocab)).values[:, [-1]]",
                )
            ],
            points=3,
            any_error=True,
        ),
        Mistake(
            "two_axes_only",
            "It works for two axes only. Count the vocabulary from the end (`dim=-1`, "
            "`[..., -1:]`) and any number of axes may stand before it.",
            [
                ("argmax(-1)", "argmax(1)"),
                *_ALONG_1,
            ],
            other_forms=(
                [
                    (
                        "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                        "result = scores.masked_fill(~keep, -math.inf).softmax(1)",
                    )
                ],
                [("vocab = logits.size(-1)", "_, vocab = logits.shape")],
                [
                    ("best = logits.argmax(-1)", "best = logits.argmax(1, keepdim=True)"),
                    (
                        "F.one_hot(best, vocab).to(logits.dtype)",
                        "torch.zeros_like(logits).scatter(1, best, 1.0)",
                    ),
                    *_ALONG_1,
                ],
            ),
            points=2,
            any_error=True,
        ),
    ),
)
