"""Harnesses of assignment 5: laws that positions must obey. Released with the assignment.

Each calls the student's function and brings what came of it; `judges.py` compares that with each
other, so none holds an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from grading.check import Finding, copied


def moved(
    function: Callable, query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int
) -> list[Tensor]:
    """The scores of the first heads: where the whole text ends at position 1000, and here."""

    def scores(places: Tensor) -> Tensor:
        copies = query.clone(), key.clone(), places.clone()
        turned_query, turned_key = _two(function(*copies, rotary_size))
        return turned_query[:, 0] @ turned_key[:, 0].transpose(-2, -1)

    return [scores(position_ids + 1000 - position_ids.max()), scores(position_ids)]


def one_by_one(
    function: Callable, query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int
) -> tuple[Tensor, Tensor]:
    """The turned queries and the turned keys, where a gradient is wanted for these alone."""
    still = query.detach().clone(), key.detach().clone()
    return (
        _two(function(query, still[1], position_ids.clone(), rotary_size))[0],
        _two(function(still[0], key, position_ids, rotary_size))[1],
    )


def in_bfloat16(
    function: Callable, query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int
) -> list[list[Tensor]]:
    """What it makes of bfloat16 numbers, and then of the same ones in float32."""
    query, key = query.bfloat16(), key.bfloat16()
    rounded = _two(function(query.clone(), key.clone(), position_ids.clone(), rotary_size))
    return [
        list(rounded),
        list(_two(function(query.float(), key.float(), position_ids, rotary_size))),
    ]


def scores_of_weights(
    function: Callable,
    state: dict[str, Tensor],
    num_attention_heads: int,
    num_key_value_heads: int,
    rotary_size: int,
    *_: Tensor,
) -> dict[str, Tensor]:
    """The converted weights; what is to be made of them is for who judges."""
    new: dict[str, Tensor] = function(state, num_attention_heads, num_key_value_heads, rotary_size)
    return new


def biases_of_a_part(
    function: Callable,
    state: dict[str, Tensor],
    num_attention_heads: int,
    num_key_value_heads: int,
    rotary_size: int,
) -> list[Any]:
    """The converted weights where a part of each head turns, and where all of it does.

    Then, whether the very dictionary that was given comes back where nothing moves, and only there.
    Where all of each head turns it may fail, and there is nothing to bring: other cases say that.
    """
    size = len(state["query.weight"]) // num_attention_heads
    heads = num_attention_heads, num_key_value_heads
    given = [copied(state) for _ in range(3)]
    try:
        whole = function(given[0], *heads, size)
    except Exception:
        return []
    part, still = function(given[1], *heads, rotary_size), function(given[2], *heads, 2)
    return [part, whole, still is given[2] and part is not given[1]]


def _two(value: object) -> tuple[Tensor, Tensor]:
    right = isinstance(value, tuple | list) and len(value) == 2
    if not right or not all(isinstance(part, Tensor) for part in value):
        raise Finding("It must return two tensors: the turned queries and the turned keys.")
    return value[0], value[1]
