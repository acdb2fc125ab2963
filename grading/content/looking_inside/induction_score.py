"""Exercise 1: an induction score for any text, and what an even head would score."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.content.common import changed_in_place, kept
from grading.content.drawing import draw_integer
from grading.content.looking_inside import harnesses
from grading.content.looking_inside.sections import INDUCTION
from grading.content.looking_inside.shared import mutation_of, normal
from grading.exercise import Case, Exercise, Mistake, Part


def induction_score(attention, input_ids, attention_mask=None):
    """The induction score of each head, [layers, heads], and that of an even head."""
    tokens = input_ids.size(1)
    real = torch.ones_like(input_ids) if attention_mask is None else attention_mask
    real = real != 0
    key = torch.arange(tokens)
    query = key[:, None]
    same = input_ids[:, :, None] == input_ids[:, None, :]  # [batch, query, key]
    same = same & real[:, :, None] & real[:, None, :]
    follows = F.pad(same[:, :, :-1], (1, 0))  # the token before this key is the query's
    target = follows & (key < query)
    counts = target.any(dim=-1)  # [batch, query]
    number = counts.sum().clamp(min=1)
    values = (attention * target[:, None]).sum(dim=-1)  # [layers, batch, heads, query]
    score = (values * counts[:, None]).sum(dim=(1, 3)) / number
    seen = real[:, None, :] & (key <= query)
    even = target.sum(dim=-1) / seen.sum(dim=-1).clamp(min=1)
    chance = (even * counts).sum() / number
    return score, float(chance)


def _maps(generator: torch.Generator, layers: int, heads: int, mask: Tensor) -> Tensor:
    """Attention maps [layers, batch, heads, tokens, tokens], causal and without padded keys.

    Some keys that a query may see get exactly 0, as very small scores do. The rows of padded
    queries hold any numbers.
    """
    batch, tokens = mask.shape
    scores = normal(generator, layers, batch, heads, tokens, tokens)
    causal = torch.ones(tokens, tokens, dtype=torch.bool).tril()
    seen = (causal & (mask[:, None, :] != 0))[:, None]
    small = torch.rand(scores.shape, generator=generator) < 0.3
    hidden = ~seen | small & ~torch.eye(tokens, dtype=torch.bool)
    maps = scores.masked_fill(hidden, -torch.inf).softmax(-1)
    return torch.where(mask[:, None, :, None] != 0, maps, 3 * scores)


def _ids(generator: torch.Generator, batch: int, tokens: int, vocab: int) -> Tensor:
    """Texts in which something is repeated at once, something later, and something twice."""
    while True:
        ids = torch.randint(vocab, (batch, tokens), generator=generator)
        at_once = (ids[:, 1:] == ids[:, :-1]).sum(dim=1)
        counting = [_number_of_targets(row) for row in ids]
        different = batch == 1 or len({int((row > 0).sum()) for row in counting}) > 1
        if at_once.min() > 0 and different and all(row.max() > 1 for row in counting):
            return ids


def _number_of_targets(row: Tensor) -> Tensor:
    tokens = row.tolist()
    return torch.tensor([tokens[: max(t - 1, 0)].count(token) for t, token in enumerate(tokens)])


# Of these, each result in a case of its part is far from what is right.
_CORE = (
    "same_token",
    "own_place",
    "latest",
    "first",
    "mean_of_targets",
    "largest_target",
    "all_queries",
    "later_too",
    "later_too~1",
    "values_not_zero",
)
_CHANCE = (
    "chance_without_itself",
    "chance_of_all",
    "chance_of_one",
    "chance_of_attended",
    "ratio_of_sums",
)


def _induction_cases(generator: torch.Generator) -> list[Case]:
    def draw(layers, heads, texts, wrong=(), place=0):
        """Draw texts, with a mask or without, and attention, on which some mistakes show."""
        for _ in range(100):
            ids, *mask = texts()
            real = mask[0] if mask else torch.ones_like(ids)
            arguments = [_maps(generator, layers, heads, real), ids, *mask]
            right = induction_score(*arguments)[place]
            if all(_far(right, _wrong(name)(*arguments)[place]) for name in wrong):
                return arguments
        raise ValueError("No texts were found that show these mistakes.")

    def texts(batch, tokens, vocab):
        return lambda: (_ids(generator, batch, tokens, vocab),)

    def large_ids(tokens):
        """Ids that are equal as float16, and far above those for which Python has one object."""
        return lambda: (49_152 + _ids(generator, 1, tokens, 5),)

    def padded(*masks):
        """Texts of which some have padding, with an id that the text has."""
        ids = _ids(generator, len(masks), len(masks[0]), 4)
        for row, mask in zip(ids, masks, strict=True):
            real = row[mask != 0]
            row[mask == 0] = int(real[draw_integer(generator, 0, 2)])
        return ids, torch.stack(masks)

    def all_different(tokens):
        return torch.randperm(tokens, generator=generator)[None]

    def without_targets():
        """A text in which only one token comes back, at once."""
        ids = all_different(8)
        place = draw_integer(generator, 2, 5)
        ids[:, place + 1] = ids[:, place]
        return (ids,)

    def nothing_real():
        ids = _ids(generator, 2, 8, 3)
        return ids, torch.zeros_like(ids)

    def one_target():
        ids = all_different(9)
        ids[:, -2] = ids[:, draw_integer(generator, 1, 3)]
        return (ids,)

    def halves():
        return (torch.cat([all_different(7)] * 2, dim=1),)

    def with_new_padding():
        padding = torch.tensor([[6, 7, 8]])[:, :number]
        ids = torch.cat([padding, _ids(generator, 1, 8, 3)], dim=1)
        return ids, _ones(8 + number, 8).flip(0)[None]

    def case(title, part, harness, arguments, **options):
        names = ("attention", "input_ids", "attention_mask")
        pairs = tuple(zip(names, arguments, strict=False))
        return Case(title, part, pairs, harness=harness, **options)

    number, length = (draw_integer(generator, *between) for between in ((2, 3), (5, 6)))
    lengths = [draw_integer(generator, *between) for between in ((11, 13), (14, 16))]
    score, chance = harnesses.score_of, harnesses.chance_of
    change = harnesses.change_by_padding
    again = [draw(2, 3, texts(3, 10, 4)) for _ in range(2)]
    chance_again = [draw(1, 2, texts(2, 14, 4)) for _ in range(2)]
    full, short = _ones(9, 9), _ones(9, length)
    long = _ones(220, 134 + length).to(torch.int8)  # which holds no number above 127
    right = draw(2, 3, lambda: padded(full, short), ("no_mask", "padded_queries"))
    sides = short.flip(0).byte(), _ones(9, 11 - length).byte()  # in which 0 - 1 is 255
    left = draw(
        2, 3, lambda: padded(*sides), ("no_mask", "padded_keys", "padded_keys~1", "padded_pair")
    )
    new = draw(1, 2, with_new_padding, ("chance_of_padding",), 1)
    behind = draw(1, 2, lambda: padded(long), ("no_mask", "padding_before"), 1)
    once = draw(2, 2, without_targets)
    return [
        case("two texts", "core", score, draw(2, 2, texts(2, lengths[0], 4), _CORE)),
        case("one text, one head", "core", score, draw(3, 1, large_ids(lengths[1]), _CORE)),
        case("a text whose second half repeats the first", "core", score, draw(1, 4, halves)),
        case("one query has a target", "core", score, draw(2, 3, one_target)),
        case("called again, other texts", "core", score, again[0], again=(tuple(again[1]),)),
        case("padding on the right", "padding", score, right),
        case("padding on the left in one text, on the right in another", "padding", score, left),
        case("chance with padding on the left, less chance without it", "padding", change, new),
        case("chance with padding on the right, less chance without it", "padding", change, behind),
        case("all is padding", "padding", score, draw(1, 2, nothing_real)),
        case("chance where no query has a target", "padding", chance, once),
        case("chance, three texts", "chance", chance, draw(1, 2, texts(3, 12, 5), _CHANCE, 1)),
        case("chance, one text", "chance", chance, draw(2, 2, texts(1, 8 + number, 4), _CHANCE, 1)),
        case(
            "chance, called again, other texts",
            "chance",
            chance,
            chance_again[0],
            again=(tuple(chance_again[1]),),
        ),
    ]


def _ones(length: int, number: int) -> Tensor:
    """Ones, then zeros."""
    return (torch.arange(length) < number).long()


def _far(one: Any, other: Any) -> bool:
    return bool((torch.as_tensor(one) - torch.as_tensor(other)).abs().max() > 2e-3)


@functools.cache
def _wrong(name: str) -> Callable:
    return EXERCISE.mutant(mutation_of(EXERCISE, name))


def _targets_of(row: list[int], real: list[bool], t: int) -> list[int]:
    return [s + 1 for s in range(t - 1) if real[s] and real[t] and row[s] == row[t]]


def _in_loops(attention, input_ids, attention_mask=None):
    batch, tokens = input_ids.shape
    layers, heads = attention.size(0), attention.size(2)
    total, even, number = torch.zeros(layers, heads), 0.0, 0
    for b in range(batch):
        row = input_ids[b].tolist()
        real = [True] * tokens if attention_mask is None else attention_mask[b].bool().tolist()
        for t in range(tokens):
            places = _targets_of(row, real, t)
            if places:
                total += attention[:, b, :, t, places].sum(-1)
                even += len(places) / sum(real[: t + 1])
                number += 1
    return (total / number, even / number) if number else (total, 0.0)


def _by_even_head(attention, input_ids, attention_mask=None):
    """The chance as the score of one more head, whose attention is even."""
    batch, tokens = input_ids.shape
    mask = torch.ones(batch, tokens) if attention_mask is None else attention_mask.float()
    even = torch.ones(tokens, tokens).tril() * mask[:, None, :]
    even = even / even.sum(-1, keepdim=True).clamp(min=1)
    words = F.one_hot(input_ids, int(input_ids.max()) + 1).float() * mask[..., None]
    same = (words @ words.mT).tril(-2)  # of s and t, at least two places apart
    target = same.roll(1, -1)
    target[..., 0] = 0
    counts = target.sum(-1) > 0

    def mean(maps):  # [batch, heads, query, key]
        values = torch.einsum("bhqk,bqk->bhq", maps, target).transpose(1, 2)[counts]
        return values.mean(0) if len(values) else torch.zeros(maps.size(1))

    return torch.stack([mean(layer) for layer in attention]), mean(even[:, None])[0]


def _by_occurrences(attention, input_ids, attention_mask=None):
    """Word by word: where it stands, and what came after."""
    found, shares = [], []
    for b, ids in enumerate(input_ids):
        keep = torch.ones_like(ids) if attention_mask is None else attention_mask[b]
        (places,) = keep.nonzero(as_tuple=True)
        maps, ids = attention[:, b][:, :, places][..., places], ids[places]
        for word in ids.unique():
            (where,) = (ids == word).nonzero(as_tuple=True)
            for t in where.tolist():
                targets = where[where < t - 1] + 1
                if len(targets):
                    found.append(maps[:, :, t].index_select(-1, targets).sum(-1))
                    shares.append(len(targets) / (t + 1))
    if not found:
        return attention.new_zeros(attention.size(0), attention.size(2)), torch.tensor(0.0)
    return torch.stack(found).mean(0), torch.tensor(shares).mean()


def _repeated_halves(attention, input_ids, attention_mask=None):
    """As in the chapter: the positions one half of the text, less one, before the query."""
    half = input_ids.size(1) // 2
    stripes = attention.diagonal(1 - half, dim1=-2, dim2=-1)[..., 1:]
    return stripes.mean(dim=(1, 3)), float(1 / torch.arange(half + 1, 2 * half + 1).float().mean())


def _across_texts(attention, input_ids, attention_mask=None):
    """With a dictionary of places that isn't emptied between the texts of a batch."""
    mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
    places: dict[int, list[int]] = {}
    found, shares = [], []
    for b, ids in enumerate(input_ids.tolist()):
        for t, token in enumerate(ids):
            if mask[b, t]:
                targets = [s + 1 for s in places.get(token, []) if s + 1 < t]
                places.setdefault(token, []).append(t)
                if targets:
                    found.append(attention[:, b, :, t, targets].sum(-1))
                    shares.append(len(targets) / int(mask[b, : t + 1].sum()))
    if not found:
        return attention.new_zeros(attention.size(0), attention.size(2)), 0.0
    return torch.stack(found).mean(0), sum(shares) / len(shares)


_FOLLOWS = "follows = F.pad(same[:, :, :-1], (1, 0))"
_VALUES = "values = (attention * target[:, None]).sum(dim=-1)"
_SCORE = "score = (values * counts[:, None]).sum(dim=(1, 3)) / number"
_CHANCE_LINE = "chance = (even * counts).sum() / number"
_IN_MASKS_DTYPE = 'seen.sum(dim=-1, dtype=getattr(attention_mask, "dtype", None))'

EXERCISE = Exercise(
    id="induction_score",
    title="Induction in any text",
    signature="induction_score(attention, input_ids, attention_mask=None)",
    reference=induction_score,
    combined=(
        "same_token",
        "own_place",
        "latest",
        "mean_of_targets",
        "all_queries",
        "mean_by_text",
        "no_mask",
        "nan",
        "chance_without_itself",
        "chance_of_all",
        "chance_of_one",
    ),
    cases=_induction_cases,
    parts=(
        Part("core", "scores of texts without padding", 2),
        Part("padding", "padding, and texts in which no query has a target", 1),
        Part("chance", "chance", 1),
    ),
    minutes=20,
    difficulty=2,
    section=INDUCTION,
    alternatives={
        "loops": _in_loops,
        "chance as the score of an even head": _by_even_head,
        "word by word": _by_occurrences,
    },
    mistakes=(
        Mistake(
            "same_token",
            "The attention is read at the earlier occurrence of the query's token itself. An "
            "induction head attends to the token *after* it, at s + 1.",
            [(_FOLLOWS, "follows = same")],
            other_forms=([(_FOLLOWS, "follows = same"), ("(key < query)", "(key < query - 1)")],),
        ),
        Mistake(
            "token_before",
            "The attention is read one position *before* the earlier occurrence. The target is the "
            "position after it, s + 1.",
            [(_FOLLOWS, "follows = F.pad((same & (key < query))[:, :, 1:], (0, 1))")],
            other_forms=([(_FOLLOWS, "follows = F.pad(same[:, :, 1:], (0, 1))")],),
        ),
        Mistake(
            "own_place",
            "After a token that is repeated at once, the query's own position counts as a target. "
            "A target lies before the query: s + 1 < t.",
            [("(key < query)", "(key <= query)")],
        ),
        Mistake(
            "rolled",
            "`roll` brings the last position round to the first, so the first position becomes a "
            "target of every query with the last token's id. Nothing comes before the first one.",
            [(_FOLLOWS, "follows = same.roll(1, -1)")],
        ),
        Mistake(
            "neighbour_left_out",
            "The position just before the query doesn't count as a target. It does if the token "
            "before it is the query's: s + 1 < t.",
            [("(key < query)", "(key < query - 1)")],
        ),
        Mistake(
            "heads_averaged",
            "The heads or the layers are averaged. Each head of each layer has a score of its own, "
            "`[layers, heads]`.",
            [("return score,", "return score.mean(1),")],
            other_forms=(
                [("return score,", "return score.mean(0),")],
                [("return score,", "return score.mean(),")],
            ),
        ),
        Mistake(
            "latest",
            "Only the last earlier occurrence gives a target. Every earlier occurrence does, and "
            "the attention to all of them is added up.",
            [
                (
                    "    counts =",
                    "    target = target & (target.flip(-1).cumsum(-1).flip(-1) == 1)\n"
                    "    counts =",
                )
            ],
            other_forms=(
                [
                    (
                        "target = follows & (key < query)",
                        "follows = follows & (key <= query)\n"
                        "    last = follows.flip(-1).cumsum(-1).flip(-1) == 1\n"
                        "    target = follows & last & (key < query)",
                    )
                ],
            ),
        ),
        Mistake(
            "first",
            "Only the first occurrence gives a target. Every earlier occurrence does, and the "
            "attention to all of them is added up.",
            [("    counts =", "    target = target & (target.cumsum(-1) == 1)\n    counts =")],
        ),
        Mistake(
            "mean_of_targets",
            "A query's value is the mean of its attention to its targets. It's their sum: a head "
            "that shares its attention among three targets does as well as with one.",
            [(_VALUES, f"{_VALUES} / target.sum(dim=-1).clamp(min=1)[:, None]")],
        ),
        Mistake(
            "largest_target",
            "A query's value is its largest attention to a target. It's the sum over all targets.",
            [(_VALUES, "values = (attention * target[:, None]).amax(dim=-1)")],
        ),
        Mistake(
            "all_queries",
            "The sum is divided by the number of all queries. Those without a target don't count: "
            "divide by the number of queries that have at least one.",
            [("number = counts.sum().clamp(min=1)", "number = real.sum()")],
            other_forms=(
                [("number = counts.sum().clamp(min=1)", "number = counts.numel()")],
                [(_SCORE, _SCORE.replace("number", "real.sum()"))],
                [(_SCORE, _SCORE.replace("number", "counts.numel()"))],
            ),
        ),
        Mistake(
            "values_not_zero",
            "Queries are counted whose value isn't 0. Those count that have a target, even if the "
            "head gives no attention to it.",
            [(_SCORE, "score = values.sum((1, 3)) / (values > 0).sum((1, 3)).clamp(min=1)")],
        ),
        Mistake(
            "across_texts",
            "What one text holds counts as earlier in the next one of the batch. Each text begins "
            "anew: look for earlier occurrences in the query's own text only.",
            _across_texts,
        ),
        Mistake(
            "number_of_targets",
            "The sum is divided by the number of targets. It's a mean over queries: divide by the "
            "number of queries that have at least one target.",
            [(_SCORE, _SCORE.replace("number", "target.sum().clamp(min=1)"))],
            other_forms=([("number = counts.sum()", "number = target.sum()")],),
        ),
        Mistake(
            "mean_by_text",
            "Each text is averaged by itself, and then the texts are. Take the mean over the "
            "queries of the whole batch: a text with more queries that count is heavier.",
            [
                (
                    _SCORE,
                    "each = counts.sum(dim=1).clamp(min=1)[:, None]\n"
                    "    score = ((values * counts[:, None]).sum(dim=3) / each).mean(dim=1)",
                )
            ],
            other_forms=(
                [
                    (
                        _SCORE,
                        "each = counts.sum(dim=1).clamp(min=1)[:, None]\n"
                        "    score = ((values * counts[:, None]).sum(dim=3) / each).mean(dim=1)",
                    ),
                    (
                        _CHANCE_LINE,
                        "chance = ((even * counts).sum(dim=1) / each[:, 0]).mean()",
                    ),
                ],
            ),
        ),
        Mistake(
            "mean_by_position",
            "The texts are averaged at each position first, and then the positions are. Take the "
            "mean over the queries of the whole batch, each of which counts the same.",
            [
                (
                    _SCORE,
                    "there = counts.any(dim=0)\n"
                    "    each = (values * counts[:, None]).sum(1) / counts.sum(0).clamp(min=1)\n"
                    "    score = (each * there).sum(-1) / there.sum().clamp(min=1)",
                )
            ],
        ),
        Mistake(
            "repeats_left_out",
            "A token that comes twice in a row gives no target to any query. Only the query right "
            "behind it gets none from it: that target would be the query itself, not s + 1 < t.",
            [
                (
                    "    follows =",
                    "    again = (input_ids[:, 1:] == input_ids[:, :-1]) & real[:, 1:]\n"
                    "    same = same & ~F.pad(again, (0, 1))[:, None]\n"
                    "    follows =",
                )
            ],
        ),
        Mistake(
            "later_too",
            "Later occurrences of the token count, too, so queries count that have no target. Only "
            "what is earlier than the query can be a target: s + 1 < t.",
            [(" & (key < query)", "")],
            other_forms=([("(key < query)", "(key != query)")],),
        ),
        Mistake(
            "exchanged",
            "Queries and keys are exchanged. The last axis of `attention` is the key.",
            [("(attention *", "(attention.mT *")],
        ),
        Mistake(
            "reshaped",
            "Texts and heads are exchanged with `reshape` or `view`, which leaves all numbers in "
            "their order and only divides them anew: maps of one text are taken for another's. "
            "`transpose` exchanges two axes.",
            [
                (
                    _VALUES,
                    "maps = attention.reshape(len(attention), -1, len(input_ids), tokens, tokens)\n"
                    "    values = (maps * target).sum(dim=-1).transpose(1, 2)",
                )
            ],
        ),
        Mistake(
            "repeated_halves",
            "This is the chapter's score, for a text whose second half repeats the first. Here the "
            "targets of each query follow from where its token occurred before.",
            _repeated_halves,
            any_error=True,
        ),
        Mistake(
            "hits",
            "This is how often a head's largest attention is on a target. Asked for is the mean of "
            "the attention itself.",
            [
                (
                    _VALUES,
                    "best = attention.argmax(dim=-1, keepdim=True)\n"
                    "    on_target = target[:, None].expand(attention.shape).gather(-1, best)\n"
                    "    values = on_target.squeeze(-1).float()",
                )
            ],
        ),
        Mistake(
            "largest_query",
            "The score is the largest value of a query. It's the mean over the queries.",
            [(_SCORE, "score = (values * counts[:, None]).amax(dim=(1, 3))")],
        ),
        Mistake(
            "not_averaged",
            "The values are added up over the queries, and not divided by their number.",
            [(_SCORE, "score = (values * counts[:, None]).sum(dim=(1, 3))")],
        ),
        Mistake(
            "less_chance",
            "Chance is subtracted from the score. The two come back side by side.",
            [("return score,", "return score - chance,")],
            other_forms=([("return score,", "return score / chance,")],),
        ),
        Mistake(
            "zero_is_padding",
            "Tokens with the id 0 are taken for padding. What is padding is said by "
            "`attention_mask` alone.",
            [("real = real != 0", "real = input_ids != 0")],
            other_forms=([("real = real != 0", "real = (real != 0) & (input_ids != 0)")],),
        ),
        Mistake(
            "pair_exchanged",
            "The two results come back in the wrong order: `(score, chance)`.",
            [("return score, float(chance)", "return float(chance), score")],
        ),
        Mistake(
            "only_score",
            "Only the scores come back. Asked for are two results, `(score, chance)`.",
            [("return score, float(chance)", "return score")],
        ),
        Mistake(
            "no_mask",
            "`attention_mask` isn't used: padding passes for tokens. It's neither a query nor an "
            "earlier occurrence.",
            [("real = real != 0", "real = torch.ones_like(real, dtype=torch.bool)")],
            points=3,
        ),
        Mistake(
            "right_padding_only",
            "Each text is cut to its length from the left, as if padding were on the right alone. "
            "It may be on the left: which positions are real is what the mask says.",
            [
                (
                    "real = real != 0",
                    "real = torch.arange(tokens) < (real != 0).sum(dim=1, keepdim=True)",
                )
            ],
            points=3,
        ),
        Mistake(
            "padded_queries",
            "Padded queries count. A padded position with the id of an earlier token is no "
            "repetition: the query, too, must be real.",
            [("same & real[:, :, None] & real[:, None, :]", "same & real[:, None, :]")],
            points=3,
        ),
        Mistake(
            "padded_keys",
            "Padding counts as an earlier occurrence of the query's token. Only real tokens do; "
            "that the *target* is real isn't enough.",
            [("same & real[:, :, None] & real[:, None, :]", "same & real[:, :, None]")],
            other_forms=(
                [
                    ("    same = same & real[:, :, None] & real[:, None, :]\n", ""),
                    ("(key < query)", "(key < query) & real[:, :, None] & real[:, None, :]"),
                ],
            ),
            points=3,
        ),
        Mistake(
            "padded_pair",
            "Padding counts as a repetition of padding: padded positions have one id now, and are "
            "equal to each other. Neither the query nor what it repeats may be padding.",
            [
                (
                    "input_ids[:, :, None] == input_ids[:, None, :]",
                    "ids[:, :, None] == ids[:, None, :]",
                ),
                ("    same = same & real[:, :, None] & real[:, None, :]\n", ""),
                ("    key = torch", "    ids = input_ids.masked_fill(~real, -1)\n    key = torch"),
            ],
            points=3,
        ),
        Mistake(
            "chance_of_padding",
            "For chance, the padding on the left is counted among the keys that a query may see. "
            "Only real tokens are.",
            [("real[:, None, :] & (key <= query)", "(key <= query).expand(len(real), -1, -1)")],
            points=3,
        ),
        Mistake(
            "counted_in_int8",
            "Keys are counted in the dtype of the mask. `int8` ends at 127, so in longer texts the "
            "counts are wrong: count in `int64`.",
            [("seen.sum(dim=-1).clamp(min=1)", f"torch.where(counts, {_IN_MASKS_DTYPE}, 1)")],
            other_forms=([("seen.sum(dim=-1).clamp(min=1)", f"{_IN_MASKS_DTYPE}.clamp(min=1)")],),
            points=3,
        ),
        Mistake(
            "padding_before",
            "For chance, all padding of a text is subtracted from the keys that a query may see. "
            "What is on the right comes after every query and was never among them.",
            [
                (
                    "seen.sum(dim=-1).clamp(min=1)",
                    "(key + 1 - (~real).sum(dim=1, keepdim=True)).clamp(min=1)",
                )
            ],
            points=3,
        ),
        Mistake(
            "nan",
            "Where no query has a target, a mean over no queries is 0/0. The results are 0 there.",
            [("counts.sum().clamp(min=1)", "counts.sum()")],
            other_forms=([(_CHANCE_LINE, _CHANCE_LINE.replace("number", "counts.sum()"))],),
            any_error=True,
            points=3,
        ),
        Mistake(
            "chance_without_itself",
            "For chance, a query's own position isn't counted among the keys that it may see. It "
            "may attend to itself, so an even head gives that position a share, too.",
            [("(key <= query)", "(key < query)")],
            points=3,
        ),
        Mistake(
            "chance_of_all",
            "For chance, the attention is spread over all positions of the text. The head is "
            "causal: a query sees only the positions up to its own.",
            [("(key <= query)", "(key < tokens).expand(tokens, -1)")],
            points=3,
        ),
        Mistake(
            "chance_of_attended",
            "For chance, only keys are counted that a head gives some attention. Which keys a "
            "query *may* see doesn't depend on a head: the real tokens up to its own position.",
            [("seen = real[:, None, :] & (key <= query)", "seen = attention[0, :, 0] > 0")],
            points=3,
        ),
        Mistake(
            "chance_by_text",
            "For chance, each text is averaged by itself, and then the texts are. As for the "
            "score, it's the mean over the queries of the whole batch.",
            [
                (
                    _CHANCE_LINE,
                    "chance = ((even * counts).sum(1) / counts.sum(1).clamp(min=1)).mean()",
                )
            ],
            points=3,
        ),
        Mistake(
            "chance_of_whole_text",
            "For chance, the attention is spread over all positions of the text, padding "
            "included. A query sees only the real tokens up to its own position.",
            [("seen.sum(dim=-1).clamp(min=1)", "tokens")],
            points=2,
        ),
        Mistake(
            "chance_of_one",
            "For chance, each query is given one target. An even head gives each of the targets "
            "its share, and a query may have several.",
            [("even = target.sum(dim=-1) /", "even = counts /")],
            points=3,
        ),
        Mistake(
            "ratio_of_sums",
            "For chance, all targets are divided by all keys that are seen. It's a mean over "
            "queries, like the score: a share for each query, then their mean.",
            [(_CHANCE_LINE, "chance = target.sum() / (seen.sum(-1) * counts).sum().clamp(min=1)")],
            points=3,
        ),
        Mistake(
            "chance_of_all_queries",
            "For chance, the mean runs over all queries. As for the score, only those with a "
            "target count.",
            [(_CHANCE_LINE, "chance = (even * counts).sum() / real.sum()")],
            points=3,
        ),
        Mistake(
            "chance_of_all_places",
            "For chance, the mean runs over all positions of the batch, those of padding "
            "included. As for the score, only queries with a target count.",
            [(_CHANCE_LINE, "chance = even.mean()")],
            points=2,
        ),
        changed_in_place(
            "attention",
            [("(attention * target[:, None])", "attention.mul_(target[:, None])")],
        ),
        kept(
            [
                ("attention_mask=None):", "attention_mask=None, kept={}):"),
                (
                    "    counts =",
                    "    target = kept.setdefault(target.shape, target)\n    counts =",
                ),
            ],
        ),
    ),
)
