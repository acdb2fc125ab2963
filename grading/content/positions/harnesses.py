"""Harnesses of assignment 5: laws that positions must obey. Released with the assignment.

Each calls the student's function more than once and compares its results with each other, so none
holds an answer.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from grading.check import Finding


def moved(
    function: Callable, query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int
) -> str:
    """Move the whole text by 300 places: no score of the first heads may change.

    Raises:
        Finding: if one changes.
    """

    def scores(places: Tensor) -> Tensor:
        copies = query.clone(), key.clone(), places.clone()
        turned_query, turned_key = _two(function(*copies, rotary_size))
        return turned_query[:, 0] @ turned_key[:, 0].transpose(-2, -1)

    change = float((scores(position_ids + 300) - scores(position_ids)).abs().max())
    if not change < 0.01:
        raise Finding(
            f"Moving the whole text by 300 places changes the scores, by up to {change:.2g}; only "
            "distances may count."
        )
    return "scores unchanged"


def in_bfloat16(
    function: Callable, query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int
) -> str:
    """Give it bfloat16 numbers at far positions: the angles must not be rounded to bfloat16.

    Raises:
        Finding: if the result has another dtype, or is far from the same in float32.
    """
    query, key = query.bfloat16(), key.bfloat16()
    exact = _two(function(query.float(), key.float(), position_ids.clone(), rotary_size))
    found = _two(function(query, key, position_ids, rotary_size))
    for name, one, other in zip(("queries", "keys"), exact, found, strict=True):
        if other.dtype != torch.bfloat16:
            raise Finding(
                f"Given bfloat16 {name}, it returned {str(other.dtype).removeprefix('torch.')}; "
                "the result must have the dtype of what was given."
            )
        change = float((one - other.float()).abs().max())
        if not change < 0.1:  # rounding the numbers themselves changes less than half of that
            raise Finding(
                f"In bfloat16 the {name} are off by up to {change:.2g}: positions or angles were "
                "rounded to 8 significant bits. Compute angles, cosines and sines in float32."
            )
    return "bfloat16"


def scores_of_weights(
    function: Callable,
    state: dict[str, Tensor],
    num_attention_heads: int,
    num_key_value_heads: int,
    rotary_size: int,
    hidden_states: Tensor,
    position_ids: Tensor,
) -> str:
    """Compare scores from the converted weights, interleaved, with those of before, half-split.

    All of each head is turned, so ``rotary_size`` must be the size of a head.

    Raises:
        Finding: if a score differs.
    """
    new = function(state, num_attention_heads, num_key_value_heads, rotary_size)
    if not isinstance(new, dict):
        raise Finding("It did not return a dictionary.")
    missing = sorted(set(state) - set(new))
    if missing:
        raise Finding(f"The returned dictionary has no `{missing[0]}`.")
    heads = {"query": num_attention_heads, "key": num_key_value_heads}

    def turned(weights: dict[str, Tensor], name: str, by_neighbours: bool) -> Tensor:
        rows = hidden_states @ weights[f"{name}.weight"].transpose(-2, -1)
        if f"{name}.bias" in weights:
            rows = rows + weights[f"{name}.bias"]
        x = rows.unflatten(-1, (heads[name], -1))  # [tokens, heads, head_size]
        pairs = x.unflatten(-1, (-1, 2) if by_neighbours else (2, -1))
        if not by_neighbours:
            pairs = pairs.transpose(-2, -1)
        numbers = torch.view_as_complex(pairs.contiguous())  # a pair is one complex number
        count = numbers.size(-1)
        angles = position_ids[:, None] * 10000.0 ** (-torch.arange(count) / count)
        return numbers * torch.polar(torch.ones_like(angles), angles)[:, None]

    def scores(weights: dict[str, Tensor], by_neighbours: bool) -> Tensor:
        query, key = (turned(weights, name, by_neighbours) for name in ("query", "key"))
        key = key.repeat_interleave(query.size(1) // key.size(1), dim=1)
        return torch.einsum("qhp,khp->hqk", query, key.conj()).real

    change = float((scores(new, True) - scores(state, False)).abs().max())
    if not change < 1e-3:
        raise Finding(
            f"With your weights the scores are not what they were: up to {change:.2g} off."
        )
    return "scores unchanged"


def _two(value: object) -> tuple[Tensor, Tensor]:
    right = isinstance(value, tuple | list) and len(value) == 2
    if not right or not all(isinstance(part, Tensor) for part in value):
        raise Finding("It must return two tensors: the turned queries and the turned keys.")
    return value[0], value[1]
