"""A penalty for few queries and many keys."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from grading.content.drawing import one_of
from grading.content.positions.sections import ALIBI, MISTAKES
from grading.content.positions.shared import Made
from grading.exercise import Case, Exercise, Mistake, Part
from solutions.positions import (
    alibi_bias,
    alibi_slopes,
)


def _alibi_mask(num_attention_heads, queries, keys, causal=True):
    places = torch.arange(keys)[None]
    bias = alibi_bias(num_attention_heads, places[:, keys - queries :], places)[0]
    if not causal:
        return bias
    return bias.masked_fill(places > places[0, keys - queries :, None], -math.inf)


def _powers(count: int, first: float = 1.0) -> list[float]:
    """The slopes of ``count`` heads by the paper's formula."""
    return [2.0 ** (-8 * (i + first) / count) for i in range(count)]


def _slopes(heads: int, made: Made) -> Tensor:
    power = 2 ** int(math.log2(heads))
    more = heads - power
    if "slopes_inverted" in made:
        return 2.0 ** (-8 / torch.arange(1, heads + 1))
    if "slopes_without_eight" in made:
        return torch.tensor(_powers(power) + _powers(2 * power)[0::2])[:heads] ** (1 / 8)
    if "slopes_by_formula" in made:
        return torch.tensor(_powers(heads, 0 if "exponent_from_zero" in made else 1))
    if "slopes_of_next_power" in made and more:
        return torch.tensor(_powers(2 * power)[:heads])
    if "exponent_from_zero" in made:
        slopes, between = _powers(power, 0), _powers(2 * power, 0)[0::2]
    else:
        slopes, between = _powers(power), _powers(2 * power)[0::2]
    if "between_in_order" in made:
        between = _powers(2 * power)
    if "between_even" in made:
        between = _powers(2 * power)[1::2]
    if "halves" in made:
        slopes = [2.0**-h for h in range(1, power + 1)]
    between = between[:more]
    slopes = torch.tensor(between + slopes if "between_first" in made else slopes + between)
    if "slopes_sorted" in made:
        slopes = slopes.sort(descending=True).values
    return slopes


def _alibi(made: Made) -> Callable:
    def implementation(num_attention_heads, queries, keys, causal=True):
        slopes = _slopes(num_attention_heads, made)
        if "slopes_backwards" in made:
            slopes = slopes.flip(0)
        offset = 0 if "no_offset" in made else keys - queries
        apart = torch.arange(queries)[:, None] + offset - torch.arange(keys)[None]
        distance = (
            apart
            if "signed" in made
            else apart.clamp(min=0)
            if "future_free" in made
            else apart.abs()
        )
        if "no_distance" in made:
            distance = (apart != 0).long()
        bias = slopes[:, None, None] * distance * (1 if "sign" in made else -1)
        if "no_causal" in made or not (causal or "always_causal" in made):
            return bias
        first_hidden = -1 if "peeks" in made else 0 if "own_hidden" not in made else 1
        hidden = apart < first_hidden
        fill = -1e9 if "finite" in made else -math.inf
        return bias.masked_fill(hidden, fill)

    return implementation


def _alibi_cases(generator: torch.Generator) -> list[Case]:
    names = ("num_attention_heads", "queries", "keys", "causal")

    def case(title, part, *values):
        return Case(title, part, tuple(zip(names, values, strict=False)))

    keys = one_of(generator, 6, 7, 9)
    return [
        case("queries after a cache", "core", one_of(generator, 2, 4), 3, keys),
        case("as many queries as keys", "core", 4, 5, 5),
        case("one new token", "core", one_of(generator, 4, 8), 1, keys + 1),
        case("eight heads, causal=True", "core", 8, 2, 5, True),
        case("one head", "heads", 1, 2, 3),
        case("a number of heads between", "heads", one_of(generator, 5, 6, 7), 2, 3),
        case("twelve heads, as in BERT-base", "heads", 12, 2, 4),
        case("both sides, after a cache", "sides", 2, 3, keys, False),
    ]


def _loop_alibi(num_attention_heads, queries, keys, causal=True):
    def slopes_of(n):
        if math.log2(n).is_integer():
            start = 2 ** (-(2 ** -(math.log2(n) - 3)))
            return [start * start**i for i in range(n)]
        power = 2 ** math.floor(math.log2(n))
        return slopes_of(power) + slopes_of(2 * power)[0::2][: n - power]

    mask = torch.empty(num_attention_heads, queries, keys)
    for h, slope in enumerate(slopes_of(num_attention_heads)):
        for i in range(queries):
            for j in range(keys):
                distance = keys - queries + i - j
                hidden = causal and distance < 0
                mask[h, i, j] = -math.inf if hidden else -slope * abs(distance)
    return mask


def _whole_alibi(num_attention_heads, queries, keys, causal=True):
    """The square one for all keys, of which the last rows are taken."""
    place = torch.arange(keys, dtype=torch.float64)
    whole = -(place[:, None] - place).abs()
    if causal:
        whole = whole + torch.full((keys, keys), -math.inf).triu(1)
    slopes = alibi_slopes(num_attention_heads).double()
    return torch.einsum("h,qk->hqk", slopes, whole)[:, -queries:].float()


def _toeplitz_alibi(num_attention_heads, queries, keys, causal=True):
    line = -torch.arange(keys - 1, -keys, -1).abs().float()
    row = torch.stack([line[queries - 1 - i : queries - 1 - i + keys] for i in range(queries)])
    shown = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    bias = alibi_slopes(num_attention_heads).view(-1, 1, 1) * row
    return torch.where(shown, bias, float("-inf")) if causal else bias


def _by_place(change: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Callable:
    """Make a causal implementation of slopes, query places and key places."""

    def implementation(num_attention_heads, queries, keys, causal=True):
        slopes = alibi_slopes(num_attention_heads)[:, None, None]
        query = torch.arange(keys - queries, keys)[:, None]
        key = torch.arange(keys)[None]
        bias = change(slopes, query, key)
        return bias.masked_fill(key > query, -math.inf) if causal else bias

    return implementation


def _triangle_above(num_attention_heads, queries, keys, causal=True):
    bias = _alibi_mask(num_attention_heads, queries, keys, False)
    shown = torch.ones(queries, keys, dtype=torch.bool).tril()
    return bias.masked_fill(~shown, -math.inf) if causal else bias


def _powers_of_two_only(num_attention_heads, queries, keys, causal=True):
    if num_attention_heads & (num_attention_heads - 1):
        raise ValueError("The number of heads must be a power of two.")
    return _alibi_mask(num_attention_heads, queries, keys, causal)


def _shifted_queries(places: int) -> Callable:
    def implementation(num_attention_heads, queries, keys, causal=True):
        slopes = alibi_slopes(num_attention_heads)[:, None, None]
        first = keys - queries + places
        apart = torch.arange(first, first + queries)[:, None] - torch.arange(keys)
        bias = -slopes * apart.abs()
        return bias.masked_fill(apart < 0, -math.inf) if causal else bias

    return implementation


def _sees_future_only(num_attention_heads, queries, keys, causal=True):
    bias = _alibi_mask(num_attention_heads, queries, keys, False)
    past = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries - 1)
    return bias.masked_fill(past, -math.inf) if causal else bias


EXERCISE = Exercise(
    id="alibi_mask",
    title="A penalty for few queries and many keys",
    signature="alibi_mask(num_attention_heads, queries, keys, causal=True)",
    reference=_alibi_mask,
    cases=_alibi_cases,
    parts=(
        Part("core", "the causal mask for queries after a cache", 2),
        Part("heads", "any number of heads", 1),
        Part("sides", "both sides, for an encoder", 1),
    ),
    minutes=20,
    difficulty=2,
    section=ALIBI,
    variant=_alibi,
    alternatives={
        "step by step": _alibi(frozenset()),
        "loop, with the paper's own recursion": _loop_alibi,
        "the last rows of the square, in float64": _whole_alibi,
        "windows of a line": _toeplitz_alibi,
        "bias by place": _by_place(lambda slopes, q, k: torch.minimum(q - k, k - q) * slopes),
    },
    mistakes=(
        Mistake(
            "no_offset",
            "The queries are numbered from 0; they are the *last* of the keys, so the first one "
            "stands at keys − queries.",
            section=MISTAKES,
        ),
        Mistake(
            "sign",
            "The bias is positive, so that far keys are preferred; subtract the distance.",
        ),
        Mistake(
            "exponent_from_zero",
            "The heads are counted from 0 in the exponent, so the first slope is 1; it is "
            "2^(−8/H).",
        ),
        Mistake(
            "slopes_inverted",
            "The exponent is −8/h, so the slopes grow from head to head; it is −8h/H.",
            _alibi(frozenset({"slopes_inverted"})),
        ),
        Mistake(
            "slopes_without_eight",
            "The exponent lacks its factor of 8: the slopes are 2^(−h/H), and they must be "
            "2^(−8h/H).",
            _alibi(frozenset({"slopes_without_eight"})),
        ),
        Mistake(
            "no_distance",
            "Every other key has the same penalty, the slope; it is the slope times the distance.",
            _alibi(frozenset({"no_distance"})),
        ),
        Mistake("slopes_backwards", "The slopes are in reverse order: head 1 has the steepest."),
        Mistake(
            "no_causal",
            "Keys after the query are not hidden; with `causal=True` they are −∞.",
        ),
        Mistake(
            "peeks",
            "Each query sees one key too many, the one right after it.",
        ),
        Mistake(
            "own_hidden",
            "A query does not see its own token; only keys after it are hidden.",
        ),
        Mistake(
            "finite",
            "Keys after the query have a large negative number, not −∞.",
        ),
        Mistake(
            "slopes_by_formula",
            "The formula 2^(−8h/H) is used for a number of heads that is no power of two. Take the "
            "slopes of the next smaller power, and then every second one of twice that power.",
            points=3,
        ),
        Mistake(
            "slopes_of_next_power",
            "Where the number of heads is no power of two, the slopes are the first ones of the "
            "next larger power. Begin with all those of the next smaller power.",
            points=3,
        ),
        Mistake(
            "between_in_order",
            "The additional slopes are the first ones of twice the power; take every second of "
            "them, the 1st, 3rd, 5th, …: the others are there already.",
            _alibi(frozenset({"between_in_order"})),
            points=3,
        ),
        Mistake(
            "between_even",
            "The additional slopes are the 2nd, 4th, … of twice the power, which are there "
            "already; take the 1st, 3rd, ….",
            _alibi(frozenset({"between_even"})),
            points=3,
        ),
        Mistake(
            "between_first",
            "The additional slopes come before those of the next smaller power; they come after "
            "them.",
            _alibi(frozenset({"between_first"})),
            points=3,
        ),
        Mistake(
            "slopes_halved",
            "The slopes of a power of two are 1/2, 1/4, 1/8, … for any number of heads; those are "
            "the slopes of eight heads. The exponent is −8h/H.",
            _alibi(frozenset({"halves"})),
        ),
        Mistake(
            "no_penalty",
            "Later keys are hidden, but there is no penalty: every key that is seen has 0. It "
            "should be minus slope times distance.",
            _by_place(lambda slopes, query, key: 0.0 * slopes * (query - key)),
        ),
        Mistake(
            "keys_from_the_end",
            "The keys are counted from the last one backwards; the first key stands at 0.",
            lambda *arguments: _alibi_mask(*arguments).flip(-1),
        ),
        Mistake(
            "float64",
            "The numbers are right, but float64; the mask is to be float32.",
            lambda *arguments: _alibi_mask(*arguments).double(),
        ),
        Mistake(
            "slopes_sorted",
            "The slopes are right but sorted; the additional ones come after all others.",
            _alibi(frozenset({"slopes_sorted"})),
            points=3,
        ),
        Mistake(
            "signed",
            "With `causal=False`, keys after the query get a bonus instead of a penalty: the "
            "distance needs its absolute value.",
            points=3,
        ),
        Mistake(
            "future_free",
            "With `causal=False`, keys after the query have no penalty at all; their distance "
            "counts like that of keys before it.",
            _alibi(frozenset({"future_free"})),
            points=3,
        ),
        Mistake(
            "always_causal",
            "Keys after the query are hidden with `causal=False`, too.",
            _alibi(frozenset({"always_causal"})),
            points=3,
        ),
        Mistake(
            "key_places",
            "The bias is slope times key position, as BLOOM has it. After the softmax of a decoder "
            "that is the same, but here the bias itself is asked for, minus slope times distance.",
            _by_place(lambda slopes, query, key: slopes * (key + 0 * query)),
        ),
        Mistake(
            "query_places",
            "The penalty depends on the query's position alone, one number along each row, which "
            "the softmax does not notice; it must be the distance to the key.",
            _by_place(lambda slopes, query, key: -slopes * (query + 0 * key)),
        ),
        Mistake(
            "squared",
            "The distance is squared; the penalty is linear.",
            _by_place(lambda slopes, query, key: -slopes * (query - key) ** 2),
        ),
        Mistake(
            "no_slopes",
            "These are the distances without the slopes: all heads are the same.",
            _by_place(lambda slopes, query, key: -(slopes / slopes) * (query - key).abs()),
        ),
        Mistake(
            "divided_by_slope",
            "The distances are divided by the slopes; multiply.",
            _by_place(lambda slopes, query, key: -(query - key).abs() / slopes),
        ),
        Mistake(
            "slopes_base_e",
            "The slopes are powers of e; they are powers of 2.",
            _by_place(lambda slopes, q, k: -(slopes.log2().exp()) * (q - k).abs()),
        ),
        Mistake(
            "first_slope_for_all",
            "All heads have the slope of the first one.",
            _by_place(lambda slopes, q, k: -(slopes * 0 + slopes[:1]) * (q - k).abs()),
        ),
        Mistake(
            "one_off",
            "All distances are one too large: a token's distance to itself is 0.",
            _by_place(lambda slopes, query, key: -slopes * ((query - key).abs() + 1)),
        ),
        Mistake(
            "one_short",
            "The queries stand one place too early: the last query is the last key, so the first "
            "one stands at keys − queries.",
            _shifted_queries(-1),
        ),
        Mistake(
            "one_far",
            "The queries stand one place too late: the last query is the last key, so the first "
            "one stands at keys − queries.",
            _shifted_queries(1),
        ),
        Mistake(
            "lowest_number",
            "Keys after the query have the lowest number of float32; the mask should have −∞ "
            "there.",
            lambda *arguments: _alibi_mask(*arguments).clamp(min=torch.finfo(torch.float32).min),
        ),
        Mistake(
            "zero_times_infinity",
            "A triangle of 0 and 1 was multiplied by −∞, and 0 · ∞ is NaN. Use `masked_fill` or "
            "`torch.where`.",
            lambda heads, queries, keys, causal=True: (
                _alibi_mask(heads, queries, keys, False)
                + (torch.ones(queries, keys).triu(keys - queries + 1) * -math.inf if causal else 0)
            ),
        ),
        Mistake(
            "slopes_of_eight",
            "The slopes are 1/2, 1/4, 1/8, … for any number of heads; those are the slopes of "
            "eight heads. The exponent is −8h/H.",
            lambda heads, *rest: (
                _alibi_mask(heads, *rest)
                / alibi_slopes(heads)[:, None, None]
                * 2.0 ** -torch.arange(1, heads + 1)[:, None, None]
            ),
        ),
        Mistake(
            "triangle_from_the_top",
            "The bias is right, but the triangle that hides later keys is that of a square matrix "
            "(`tril()` without `diagonal`): cached keys are hidden.",
            _triangle_above,
            section=MISTAKES,
        ),
        Mistake(
            "triangle_turned",
            "The triangle is the wrong way round: the keys before the query are hidden.",
            _sees_future_only,
        ),
        Mistake(
            "causal_inverted",
            "`causal` is used the wrong way round.",
            lambda heads, queries, keys, causal=True: _alibi_mask(heads, queries, keys, not causal),
        ),
        Mistake(
            "transposed",
            "The last two axes are exchanged; the result is [heads, queries, keys].",
            lambda *arguments: _alibi_mask(*arguments).transpose(-2, -1),
        ),
        Mistake(
            "with_batch_axis",
            "There is a batch axis too many; the result is [heads, queries, keys].",
            lambda *arguments: _alibi_mask(*arguments)[None],
        ),
        Mistake(
            "no_head_axis",
            "There is no axis for the heads: each head has a slope, and so a matrix, of its own.",
            lambda *arguments: _alibi_mask(*arguments)[0],
        ),
        Mistake(
            "exponentials",
            "This is e to the power of the bias; it is added to scores, before the softmax.",
            lambda *arguments: _alibi_mask(*arguments).exp(),
        ),
        Mistake(
            "zeroed",
            "Hidden keys have the bias 0, so they are preferred to all others; they need −∞.",
            lambda *arguments: _alibi_mask(*arguments).masked_fill(
                _alibi_mask(*arguments) == -math.inf, 0.0
            ),
        ),
        Mistake(
            "crash_on_other_heads",
            "It fails for a number of heads that is no power of two.",
            _powers_of_two_only,
            points=3,
            any_error=True,
        ),
    ),
)
