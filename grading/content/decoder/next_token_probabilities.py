"""From logits to a draw."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.content.decoder.sections import COMMON, FILTERS, TEMPERATURE
from grading.content.decoder.shared import Flags, normal
from grading.content.drawing import draw_integer
from grading.exercise import Case, Exercise, Mistake, Part


def _probabilities(wrong: Flags = frozenset()) -> Callable:
    def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
        vocab = logits.size(-1)
        if temperature == 0:
            return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
        heated = logits * temperature if "multiplied" in wrong else logits / temperature
        if "no_temperature" in wrong:
            heated = logits
        if "softmax_twice" in wrong:
            heated = heated.softmax(-1)
        if "heated_twice" in wrong:
            heated = heated / temperature
        scores = logits if "temperature_last" in wrong else heated
        if "heated_again" in wrong:
            heated = heated / temperature
        fill = 1e-10 if "small_fill" in wrong else -math.inf
        keep = torch.ones_like(logits, dtype=torch.bool)

        def k_filter(scores, keep):
            if top_k is None or "no_top_k" in wrong:
                return keep
            if "whole_batch" in wrong:
                return keep & (scores >= scores.flatten().topk(min(top_k, vocab)).values[-1])
            if "only_p" in wrong and top_p is not None:
                return keep
            thresholds = scores.topk(min(top_k, vocab)).values[..., -1:]
            for name, one in (
                ("smallest_threshold", thresholds.min()),
                ("largest_threshold", thresholds.max()),
                ("first_threshold", thresholds.flatten()[0]),
            ):
                if name in wrong:
                    return keep & (scores >= one)
            if "lost_axis" in wrong:
                return keep & (scores >= thresholds.squeeze(-1))
            k = top_k + ("one_more" in wrong) - ("one_less" in wrong)
            k = max(1, min(k, vocab - ("limit_less" in wrong)))
            if "best_cut" in wrong:
                return keep & ((scores < thresholds) | ("not_all" in wrong and top_k >= vocab))
            return keep & (scores >= scores.topk(k).values[..., -1:])

        def p_filter(scores, keep):
            if top_p is None or "no_top_p" in wrong or ("one_filter" in wrong and top_k):
                return keep
            p = scores.masked_fill(~keep, -math.inf).softmax(-1)
            if "k_not_renormalised" in wrong:
                p = scores.softmax(-1) * keep
            if "fill_counts" in wrong:
                p = scores.masked_fill(~keep, fill).softmax(-1)
            if "sum_of_logits" in wrong:
                p = scores.masked_fill(~keep, -math.inf)
            if "sum_unsorted" in wrong:
                return keep & (p.cumsum(-1) - p < top_p)
            ordered, order = p.sort(descending="p_ascending" not in wrong, stable=True)
            before = ordered.cumsum(-1) - ordered
            drop = before >= top_p
            for axis in (0, 1):
                if f"sum_along_{axis}" in wrong and p.dim() > axis:
                    drop = ordered.cumsum(axis) - ordered >= top_p
                    return keep & ~drop.scatter(-1, order, drop)
            if "first_not_kept" in wrong:
                drop = torch.cat([ordered[..., :1] > top_p, drop[..., 1:]], -1)
            if "first_dropped" in wrong:
                drop = before + ordered > top_p
            if "crossing_dropped" in wrong:  # the most likely token always stays
                drop = (before + ordered > top_p) & (before > 0)
            if "crossing_and_next" in wrong:
                drop = drop & drop.roll(1, -1)
            if "tail_of_p" in wrong:
                drop = 1 - before <= top_p  # what is left, this token included
            if "tail_to_p" in wrong:
                drop = (1 - before - ordered < top_p) & (before > 0)
            if "nucleus_cut" in wrong:
                drop = ~drop
            if "not_scattered" in wrong:
                return keep & ~drop
            if "gathered" in wrong:
                return keep & ~drop.gather(-1, order)
            if "threshold" in wrong:
                return keep & (p >= torch.minimum(torch.tensor(top_p), ordered[..., :1]))
            return keep & ~drop.scatter(-1, order, drop)

        if "p_before_k" in wrong:
            keep = p_filter(scores, keep) & k_filter(scores, keep)
        else:
            keep = p_filter(scores, k_filter(scores, keep))
        if "not_renormalised" in wrong:
            return heated.softmax(-1) * keep
        if "k_not_renormalised" in wrong and top_p is None:
            return heated.softmax(-1) * keep
        if "p_not_renormalised" in wrong:
            left = k_filter(scores, torch.ones_like(keep))
            return heated.masked_fill(~left, fill).softmax(-1) * keep
        if "sorted_by_p" in wrong and top_p is not None:
            return heated.masked_fill(~keep, fill).softmax(-1).sort(descending=True).values
        result = heated.masked_fill(~keep, fill).softmax(-1)
        if "softmax_of_result" in wrong:
            return result.softmax(-1)
        if "after_softmax" in wrong:
            return heated.masked_fill(~keep, fill).mul(temperature).softmax(-1) / temperature
        return result

    return next_token_probabilities


_RIGHT_PROBABILITIES = _probabilities()


def _clear_logits(
    generator: torch.Generator,
    shape: tuple[int, ...],
    settings: tuple,
    differ: tuple[str | tuple[str, str], ...],
) -> Tensor:
    """Draw logits without near ties, on which a right result is safe and wrong ones show.

    ``differ``: mistakes whose results are not right, and pairs with different results.
    """
    temperature, top_k, top_p = settings
    while True:
        logits = normal(generator, *shape, size=1.6)
        if temperature == 0:  # the first two of the first row are near, as a low temperature shows
            best, second = logits[0].topk(2).indices
            logits[0, second] = logits[0, best] - 6e-3
        if float(logits.sort(-1).values.diff(dim=-1).min()) < 5e-3:
            continue
        expected = _RIGHT_PROBABILITIES(logits, *settings)
        if top_p is not None:
            kept = _RIGHT_PROBABILITIES(logits, temperature, top_k)
            reached = kept.sort(descending=True).values.cumsum(-1)
            if float((reached - top_p).abs().min()) < 5e-3:
                continue
        found = {
            flags: [_probabilities(frozenset({flag}))(logits, *settings) for flag in flags]
            for flags in (flags if isinstance(flags, tuple) else (flags,) for flags in differ)
        }
        pairs = [(expected, *wrong) if len(wrong) == 1 else wrong for wrong in found.values()]
        if all(float((one - other).abs().max()) > 5e-3 for one, other in pairs):
            return logits


def _probabilities_cases(generator: torch.Generator) -> list[Case]:
    def draw(low, high):
        return round(low + (high - low) * float(torch.rand((), generator=generator)), 2)

    def case(title, part, shape=None, settings=(1.0, None, None), differ=(), **options):
        rows = draw_integer(generator, 2, 3)
        shape = shape or (rows, draw_integer(generator, 8, 10))
        logits = _clear_logits(generator, shape, settings, differ)
        names = ("logits", "temperature", "top_k", "top_p")
        return Case(title, part, tuple(zip(names, (logits, *settings), strict=True)), **options)

    both = ("p_before_k", "crossing_dropped", "crossing_and_next", "no_top_k")
    tails = (("threshold", "tail_of_p"), ("threshold", "tail_to_p"))
    thresholds = ("whole_batch", "smallest_threshold", "largest_threshold")
    return [
        case("cold", "core", settings=(draw(0.4, 0.7), None, None)),
        case("hot", "core", settings=(draw(1.5, 2.5), None, None)),
        case(
            "top-k", "core", settings=(1.0, draw_integer(generator, 3, 4), None), differ=thresholds
        ),
        case("top-k of 1", "core", settings=(1.0, 1, None)),
        case("top-k, hot", "core", settings=(draw(1.5, 2.5), draw_integer(generator, 2, 5), None)),
        case("gradients", "core", settings=(0.7, 3, None), gradient=True),
        case(
            "top-p",
            "nucleus",
            settings=(1.0, None, draw(0.6, 0.8)),
            differ=("crossing_dropped", "crossing_and_next", "not_scattered", "threshold"),
        ),
        case("a very small top-p", "nucleus", settings=(1.0, None, 0.05), differ=tails),
        case("top-p, a batch of texts", "nucleus", (2, 3, 7), (1.5, None, 0.7)),
        case(
            "top-p, hot",
            "nucleus",
            settings=(draw(1.8, 2.5), None, draw(0.6, 0.7)),
            differ=("temperature_last", "crossing_dropped"),
        ),
        case("top-k, then top-p", "nucleus", settings=(1.0, 5, draw(0.6, 0.75)), differ=both),
        case("temperature 0", "corner", settings=(0.0, None, None)),
        case("temperature 0 with filters", "corner", settings=(0.0, 3, 0.5)),
        case("k larger than the vocabulary", "corner", settings=(0.8, 20, None)),
        case("one row, no batch", "corner", shape=(9,), settings=(0.8, 4, None)),
        case("a batch of texts", "corner", shape=(2, 3, 7), settings=(1.5, 4, None)),
    ]


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


def _in_place_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    result = _RIGHT_PROBABILITIES(logits.clone(), temperature, top_k, top_p)
    if temperature:
        logits.detach().div_(temperature)
    return result


def _written_into(logits, temperature=1.0, top_k=None, top_p=None):
    """The logits that are cut are overwritten; divided, if need be, they are new ones."""
    result = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    if temperature == 1 and (top_k is not None or top_p is not None):
        logits.detach().masked_fill_(result == 0, -math.inf)
    return result


def _divided_in_place(logits, temperature=1.0, top_k=None, top_p=None):
    """Where a gradient is wanted, autograd forbids it."""
    if temperature == 0:
        return _RIGHT_PROBABILITIES(logits, temperature)
    logits /= temperature
    return _RIGHT_PROBABILITIES(logits, 1.0, top_k, top_p)


def _ids(choose: Callable) -> Callable:
    def next_token_probabilities(*arguments):
        return choose(_RIGHT_PROBABILITIES(*arguments))

    return next_token_probabilities


def _only_kept(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    if not temperature or top_k is None:
        return right
    return right.sort(descending=True).values[..., :top_k]


def _last_softmax(logits, temperature=1.0, top_k=None, top_p=None):
    """All goes along the last axis, but for the softmax at the end."""
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    if temperature == 0:
        return right
    return (logits / temperature).masked_fill(right == 0, -math.inf).softmax(1)


def _none_kept(logits, temperature=1.0, top_k=None, top_p=None):
    """What is not larger than the k-th largest is cut, even if nothing is left."""
    if temperature == 0 or top_k is None:
        return _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    scores = logits / temperature
    if top_k < logits.size(-1):
        scores = scores.masked_fill(scores <= scores.topk(top_k).values[..., -1:], -math.inf)
    return _RIGHT_PROBABILITIES(scores, 1.0, None, top_p)


def _none_compared(which: str) -> Callable:
    def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
        if temperature:
            {"top_k": top_k, "top_p": top_p, "topk": 1}[which] > 0  # noqa: B015
            logits.topk(top_k if which == "topk" else 1)
        return _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)

    return next_token_probabilities


def _zero_softmax(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    return right if temperature else right.softmax(-1)


def _zero_in_batch(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    return right if temperature else right * (logits == logits.max())


def _no_zero(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return (logits / temperature).softmax(-1)
    return _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)


def _zero_without_temperature(logits, temperature=1.0, top_k=None, top_p=None):
    return _RIGHT_PROBABILITIES(logits, temperature or 1.0, top_k, top_p)


def _no_limit(logits, temperature=1.0, top_k=None, top_p=None):
    if top_k is not None:
        logits.topk(top_k)
    return _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)


def _batch_axis(logits, temperature=1.0, top_k=None, top_p=None):
    """The vocabulary is looked for at axis 1."""
    right = _RIGHT_PROBABILITIES(logits.transpose(1, -1), temperature, top_k, top_p)
    return right.transpose(1, -1)


def _nearly_zero(least: float) -> Callable:
    def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
        return _RIGHT_PROBABILITIES(logits, max(temperature, least), top_k, top_p)

    return next_token_probabilities


def _zero_integers(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    return right if temperature else right.long()


def _zero_index(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    return right if temperature else right.argmax(-1)


def _filtered_logits(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    return (logits / temperature).masked_fill(right == 0, -math.inf) if temperature else right


def _first_row(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    if not temperature or logits.dim() == 1 or (top_k is None and top_p is None):
        return right
    keep = right.reshape(-1, logits.size(-1))[0] > 0
    return (logits / temperature).masked_fill(~keep, -math.inf).softmax(-1)


EXERCISE = Exercise(
    id="next_token_probabilities",
    title="From logits to a draw",
    signature="next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None)",
    reference=_RIGHT_PROBABILITIES,
    cases=_probabilities_cases,
    parts=(
        Part("core", "temperature and top-k", 2),
        Part("nucleus", "top-p, alone and after the others", 1),
        Part("corner", "temperature 0, a large k, any number of axes", 1),
    ),
    minutes=20,
    difficulty=2,
    section=FILTERS,
    variant=_probabilities,
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
            section=TEMPERATURE,
        ),
        Mistake(
            "no_temperature",
            "`temperature` is not used.",
            section=TEMPERATURE,
            alone=True,
        ),
        Mistake(
            "temperature_last",
            "The filters looked at the logits before they were divided by the temperature. Divide "
            "first: it changes what top-p keeps.",
            points=3,
            alone=True,
        ),
        Mistake(
            "small_fill",
            "The logits that are cut are set to about 0 (such as 1e-10). That is no small logit: "
            "e⁰ = 1. Set them to −∞.",
            other_forms=(_probabilities(frozenset({"small_fill", "fill_counts"})),),
            section=COMMON,
        ),
        Mistake(
            "no_top_k",
            "`top_k` is not used.",
            alone=True,
        ),
        Mistake(
            "one_more",
            "Top-k keeps k + 1 tokens: in descending order the smallest that is kept is number "
            "k − 1, counted from 0.",
            section=COMMON,
            alone=True,
        ),
        Mistake(
            "one_less",
            "Top-k keeps k − 1 tokens: the k-th largest must stay, so cut what is "
            "*smaller* than it.",
            other_forms=(_none_kept,),
        ),
        Mistake(
            "not_renormalised",
            "What is cut gets 0, but the others are not enlarged: the rows sum to less than 1. Cut "
            "logits before the softmax, or divide by the new sum.",
        ),
        Mistake(
            "k_not_renormalised",
            "After top-k the rows sum to less than 1: what is cut gets 0, but the others are not "
            "enlarged. Cut logits before the softmax, or divide by the new sum.",
            alone=True,
        ),
        Mistake(
            "whole_batch",
            "Top-k keeps k tokens of the whole batch. Each row has its own k-th largest logit: "
            "`topk` along the last axis, and keep that axis with `[..., -1:]`.",
            alone=True,
        ),
        Mistake(
            "smallest_threshold",
            "There is one top-k threshold for all rows. Each row has its own k-th largest logit: "
            "take it along the last axis, and keep that axis with `[..., -1:]`.",
            other_forms=(
                _probabilities(frozenset({"largest_threshold"})),
                _probabilities(frozenset({"first_threshold"})),
            ),
            alone=True,
        ),
        Mistake(
            "best_cut",
            "Top-k cuts the k most likely tokens and keeps the others: what is *smaller* than the "
            "k-th largest is to be cut.",
            other_forms=(_probabilities(frozenset({"best_cut", "not_all"})),),
            alone=True,
        ),
        Mistake(
            "lost_axis",
            "The k-th largest logits have lost their last axis: they are `[batch]` beside logits "
            "of `[batch, vocab]`. `[..., -1:]`, or `keepdim=True`, keeps it.",
            alone=True,
        ),
        Mistake(
            "softmax_twice",
            "A softmax is given probabilities. It takes logits: probabilities lie between 0 and 1, "
            "and what a second softmax makes of them is nearly uniform.",
            other_forms=(_probabilities(frozenset({"softmax_of_result"})),),
            alone=True,
        ),
        Mistake(
            "heated_twice",
            "The logits are divided by the temperature twice. Once is enough, before the filters.",
            other_forms=(_probabilities(frozenset({"heated_again"})),),
            section=TEMPERATURE,
            alone=True,
        ),
        Mistake(
            "none_compared",
            "`top_k` and `top_p` may be None, and None cannot be compared with a number: ask "
            "whether they are `not None` first.",
            _none_compared("top_k"),
            other_forms=(_none_compared("top_p"),),
        ),
        Mistake(
            "after_softmax",
            "The probabilities are divided by the temperature, so they no longer sum to 1. Divide "
            "the logits, before the softmax.",
            section=TEMPERATURE,
            alone=True,
        ),
        Mistake(
            "only_kept",
            "With top-k only the k probabilities that are left come back. All tokens need one, "
            "those that are cut 0, in the order of the vocabulary.",
            _only_kept,
        ),
        Mistake(
            "ids",
            "The id of a token comes back, drawn or the most likely one. Asked for are the "
            "probabilities with which it is drawn.",
            _ids(lambda p: p.argmax(-1)),
            other_forms=(
                _ids(lambda p: p.argmax(-1, keepdim=True)),
                _ids(lambda p: p.multinomial(1)),
                _ids(lambda p: p.multinomial(1).squeeze(-1)),
            ),
        ),
        Mistake(
            "no_top_p",
            "`top_p` is not used.",
            points=3,
            alone=True,
        ),
        Mistake(
            "crossing_dropped",
            "The token whose probability makes the sum reach p is cut. The nucleus is the smallest "
            "set whose sum *reaches* p, so this token belongs to it.",
            points=3,
        ),
        Mistake(
            "first_dropped",
            "What makes the sum larger than p is cut, be it the first token: then no token is "
            "left, and the softmax of −∞ alone is NaN. Cut a token if those *before* it reach p.",
            points=3,
            alone=True,
        ),
        Mistake(
            "crossing_and_next",
            "The nucleus has one token too many: it is complete as soon as its sum reaches p.",
            points=3,
        ),
        Mistake(
            "p_before_k",
            "Top-p was taken of all tokens, not of those that top-k left. Top-k comes first, and "
            "what is left counts as 1.",
            other_forms=(_probabilities(frozenset({"only_p"})),),
            points=3,
        ),
        Mistake(
            "tail_of_p",
            "What is cut are the least likely tokens that sum to p. It is the other way round: "
            "what *stays* sums to p at least, so at most 1 − p is cut.",
            other_forms=(_probabilities(frozenset({"tail_to_p"})),),
            points=3,
            alone=True,
        ),
        Mistake(
            "first_not_kept",
            "Where the most likely token alone has more than p, it is cut, too, and nothing is "
            "left: a softmax of −∞ alone is NaN. At least one token always stays.",
            points=3,
            alone=True,
        ),
        Mistake(
            "sum_along_0",
            "The running sum for top-p goes along another axis than the vocabulary. It needs "
            "`cumsum(dim=-1)`.",
            other_forms=(_probabilities(frozenset({"sum_along_1"})),),
            points=3,
            alone=True,
        ),
        Mistake(
            "sum_of_logits",
            "The running sum for top-p is made of logits. Probabilities are summed: softmax first.",
            points=3,
            alone=True,
        ),
        Mistake(
            "sum_unsorted",
            "The running sum for top-p goes through the vocabulary in its own order. Sort the "
            "probabilities first, the largest in front.",
            points=3,
            alone=True,
        ),
        Mistake(
            "nucleus_cut",
            "Top-p cuts the most likely tokens, whose sum reaches p, and keeps the others. They "
            "are what stays.",
            points=3,
            alone=True,
        ),
        Mistake(
            "not_scattered",
            "What top-p cuts was found in sorted order, and was cut at the same places of the "
            "*unsorted* logits. Bring it back into the order of the vocabulary first.",
            points=3,
        ),
        Mistake(
            "gathered",
            "What top-p cuts was found in sorted order, and `gather` (or an index) does not bring "
            "it back: it sorts once more. `scatter` puts each mark where its token came from.",
            points=3,
            alone=True,
        ),
        Mistake(
            "p_ascending",
            "Top-p adds up the *least* likely tokens first: the order is ascending where it should "
            "be descending.",
            points=3,
            alone=True,
        ),
        Mistake(
            "p_not_renormalised",
            "After top-p the rows sum to less than 1: what is cut gets 0, but the others are not "
            "enlarged. Cut logits before the softmax, or divide by the new sum.",
            points=3,
            alone=True,
        ),
        Mistake(
            "sorted_by_p",
            "With top-p the probabilities come back sorted, and nobody knows which token they "
            "belong to. Bring them back into the order of the vocabulary.",
            points=3,
            alone=True,
        ),
        Mistake(
            "one_filter",
            "If both `top_k` and `top_p` are given, only top-k is done (`elif`). Top-p follows, on "
            "what top-k has left.",
            points=3,
            alone=True,
        ),
        Mistake(
            "threshold",
            "Each token's own probability was compared with p. Top-p compares the sum, of the "
            "token and of all that are more likely.",
            points=3,
            alone=True,
        ),
        Mistake(
            "sorted_result",
            "The probabilities are right but sorted, and nobody knows which token they belong to. "
            "Bring them back into the order of the vocabulary.",
            lambda *arguments: _RIGHT_PROBABILITIES(*arguments).sort(-1, descending=True).values,
        ),
        Mistake(
            "logits_returned",
            "These are the filtered logits; the softmax at the end is missing.",
            _filtered_logits,
        ),
        Mistake(
            "logarithms",
            "These are logarithms of the probabilities (`log_softmax`).",
            lambda *arguments: _RIGHT_PROBABILITIES(*arguments).log(),
        ),
        Mistake(
            "smallest_kept",
            "The filters keep the *least* likely tokens: the order is ascending where it should be "
            "descending.",
            lambda logits, temperature=1.0, top_k=None, top_p=None: (
                (logits / (temperature or 1.0))
                .masked_fill(
                    _RIGHT_PROBABILITIES(-logits, temperature or 1.0, top_k, top_p) == 0, -math.inf
                )
                .softmax(-1)
            ),
        ),
        Mistake(
            "softmax_over_batch",
            "The softmax runs over the batch: each column sums to 1. It belongs to the vocabulary, "
            "`dim=-1`.",
            lambda logits, temperature=1.0, top_k=None, top_p=None: (
                (logits / (temperature or 1.0))
                .masked_fill(
                    _RIGHT_PROBABILITIES(logits, temperature or 1.0, top_k, top_p) == 0, -1e9
                )
                .softmax(0)
            ),
        ),
        Mistake(
            "always_greedy",
            "Every row is 1 at its largest logit: that is greedy, whatever the settings.",
            lambda logits, *rest: _RIGHT_PROBABILITIES(logits, 0.0),
            section="“Greedy” in chapter 8",
        ),
        Mistake(
            "first_row",
            "All rows keep the tokens of the first one. Each row has its own.",
            _first_row,
        ),
        Mistake(
            "detached",
            "The numbers are right, but no gradient comes back: `no_grad`, `detach` or a tensor "
            "made of Python numbers cuts them off.",
            lambda *arguments: _RIGHT_PROBABILITIES(*arguments).detach(),
        ),
        Mistake(
            "in_place",
            "The logits that were given are changed in place, by `/=` or by writing into them. "
            "Whoever calls the function needs them again: divide with `/`, cut with `masked_fill`.",
            _in_place_probabilities,
            other_forms=(_divided_in_place, _written_into),
        ),
        Mistake(
            "no_zero",
            "With temperature 0 the logits are divided by 0. As T falls to 0 the most likely token "
            "gets everything: give it 1.",
            _no_zero,
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "zero_is_one",
            "Temperature 0 is treated as if there were no temperature (in Python 0 counts as "
            "False). As T falls to 0 the most likely token gets everything: give it 1.",
            _zero_without_temperature,
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "zero_in_batch",
            "With temperature 0 only the largest logit of the whole batch gets 1. Each row has its "
            "own: `argmax(dim=-1)`.",
            _zero_in_batch,
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "nearly_zero",
            "With temperature 0 the logits are divided by a small number that is not small enough: "
            "where two are near, both get a share. Give 1 to the largest instead.",
            _nearly_zero(1e-3),
            other_forms=(_nearly_zero(1e-2), _nearly_zero(2e-3)),
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "zero_integers",
            "With temperature 0 the result is made of integers, as `one_hot` gives them. It must "
            "have the dtype of the logits.",
            _zero_integers,
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "zero_index",
            "With temperature 0 the id of the token comes back. Asked for are probabilities here, "
            "too: 1 at this token, 0 elsewhere.",
            _zero_index,
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "no_limit",
            "`topk` fails if k is larger than the vocabulary; take the smaller of the two.",
            _no_limit,
            points=3,
            any_error=True,
        ),
        Mistake(
            "limit_less",
            "Where k is larger than the vocabulary, one token is cut. Then all of them stay: the "
            "limit is the vocabulary's size, and no less.",
            points=3,
            alone=True,
        ),
        Mistake(
            "zero_softmax",
            "With temperature 0 a softmax follows after the most likely token got its 1, and gives "
            "the others a share again.",
            _zero_softmax,
            points=3,
            section=TEMPERATURE,
        ),
        Mistake(
            "two_axes_only",
            "It works for two axes only. Count the vocabulary from the end (`dim=-1`, "
            "`[..., -1:]`) and any number of axes may stand before it.",
            _batch_axis,
            other_forms=(_last_softmax,),
            points=2,
            any_error=True,
        ),
    ),
)
