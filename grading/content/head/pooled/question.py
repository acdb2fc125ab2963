"""Exercise 1: one vector for a text, which padding cannot disturb."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grading.content.head.sections import POOLING
from grading.content.head.shared import normal
from grading.exercise import Case, Part, Question


def pooled(hidden_states, attention_mask, kind):
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)
        return total / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(real)), place]
    return result.masked_fill(empty, 0.0)


def _pooled_cases(generator: torch.Generator) -> list[Case]:
    def mask_of(lengths: list[int], tokens: int, left: bool) -> Tensor:
        mask = (torch.arange(tokens) < torch.tensor(lengths)[:, None]).long()
        return mask.flip(1) if left else mask

    def drawn(kind, mask, hidden):
        tokens = mask.size(1)
        states = normal(generator, len(mask), tokens, hidden)
        states[..., 0] = -states[..., 0].abs() - 0.5  # 0 would be the largest
        if kind == "max":  # −65504 would be, too; whole numbers, so that no two are rounded to one
            states[..., 0] = -900_000.0 - 8 * states[..., 0].argsort(dim=1).argsort(dim=1)
            largest = states[..., 2].masked_fill(mask == 0, -1e9).amax(dim=1, keepdim=True)
            states[..., 2] -= largest  # then it is 0, which no one may take for padding
        states = torch.where(mask[..., None] == 0, states.abs() + 5, states)
        states[..., 1] += 900_000.0 * (mask == 0)
        return (("hidden_states", states), ("attention_mask", mask), ("kind", kind))

    def case(title, part, kind, lengths, left=False, tokens=None, **options):
        sizes = (6, 4) if len(lengths) != 4 else (7, 5)
        tokens, hidden = tokens or sizes[0], sizes[1]
        return Case(title, part, drawn(kind, mask_of(lengths, tokens, left), hidden), **options)

    def both_sides(kind):
        # in the second row and the third a place tells the side of the padding only without a hole
        mask = torch.tensor([[0, 1, 1, 1, 0, 0], [0, 1, 0, 1, 1, 1], [1, 0, 1, 0, 0, 0]])
        return Case(f"{kind}, padding on both sides", "left", drawn(kind, mask, 4))

    def called_again():
        kinds = ("mean", "last", "max", "first", "mean", "last")
        lengths = (
            [3, 5, 1, 4, 2],
            [5] * 5,
            [5] * 5,
            [4, 2, 5, 3, 1],
            [2, 5, 1, 3, 4],
            [1, 3, 4, 2, 5],
        )
        calls = [  # all sizes are equal
            drawn(kind, mask_of(own, 5, False), 5) for kind, own in zip(kinds, lengths, strict=True)
        ]
        again = tuple(tuple(value for _, value in call) for call in calls[1:])
        return Case("called again, other lengths and kinds", "core", calls[0], again=again)

    return [
        case("the mean, a batch of one", "core", "mean", [4]),
        case("the largest numbers, a batch of one", "core", "max", [3]),
        case("the first token, a batch of one", "core", "first", [3], strided=True),
        case("the last token, four texts", "core", "last", [7, 4, 1, 5]),
        case("the last token, a batch of one", "core", "last", [3]),
        called_again(),
        case("the mean, padding on the left", "left", "mean", [4, 6, 3], left=True),
        case("the largest numbers, padding on the left", "left", "max", [4, 3, 6], left=True),
        case("the first token, padding on the left", "left", "first", [3, 6, 4, 5], left=True),
        case("the last token, padding on the left", "left", "last", [4, 1, 5], left=True),
        both_sides("last"),
        both_sides("first"),
        both_sides("mean"),
        both_sides("max"),
        case("the mean, one text empty", "empty", "mean", [4, 0, 3], gradient=True),
        case("the largest numbers, one text empty", "empty", "max", [0, 3, 6], gradient=True),
        case("the first token, one text empty", "empty", "first", [4, 0, 6], gradient=True),
        case("the mean, all texts empty", "empty", "mean", [0, 0]),
        case("the last token, one text empty", "empty", "last", [4, 0, 6], gradient=True),
        case("texts of one place, both empty", "empty", "max", [0, 0], tokens=1),
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


QUESTION = Question(
    id="pooled",
    title="Pooling that padding cannot disturb",
    signature="pooled(hidden_states, attention_mask, kind)",
    reference=pooled,
    cases=_pooled_cases,
    parts=(
        Part("core", "all four kinds, padding on the right", 2),
        Part("left", "padding on the left", 1),
        Part("empty", "a text that is nothing but padding; gradients", 1),
    ),
    minutes=15,
    difficulty=1,
    section=POOLING,
    alternatives={
        "loop over texts": _pooled_in_a_loop,
        "weights and einsum": _pooled_by_weights,
        "gather": _pooled_by_positions,
        "in float64": lambda states, mask, kind: _pooled_in_a_loop(
            states.double(), mask, kind
        ).float(),
    },
)
