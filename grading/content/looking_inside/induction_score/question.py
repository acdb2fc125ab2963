"""Exercise 1: an induction score for any text, and what an even head would score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.content.drawing import draw_integer
from grading.content.looking_inside import harnesses
from grading.content.looking_inside.sections import INDUCTION
from grading.content.looking_inside.shared import normal
from grading.exercise import Case, Part, Question


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


def _wrong(name: str) -> Callable:
    from . import EXERCISE  # which has the bank, that stands on this module

    return EXERCISE.wrong(name)


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


QUESTION = Question(
    id="induction_score",
    title="Induction in any text",
    signature="induction_score(attention, input_ids, attention_mask=None)",
    reference=induction_score,
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
)
