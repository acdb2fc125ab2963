"""Judges of assignment 5: what it means what the harnesses bring. Released with the assignment.

Nothing here runs beside a student's code when a submission is graded. Each is given what the
harness of its name brought, then the arguments of the case; it gives back what is compared, or
raises a `Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grading.check import Finding, unless


def judge_moved(
    found: list[Tensor], query: Tensor, key: Tensor, position_ids: Tensor, *_: Any
) -> str:
    """No score may change when the whole text is moved."""
    there, here = found
    change = float((there - here).abs().max())
    if not change < 0.01:
        raise Finding(
            f"Moving the whole text by {1000 - int(position_ids.max())} places changes the scores, "
            f"by up to {change:.2g}; only distances may count."
        )
    return "scores unchanged"


def judge_in_bfloat16(
    found: list[list[Tensor]],
    query: Tensor,
    key: Tensor,
    position_ids: Tensor,
    rotary_size: int,
) -> str:
    """Angles must not be rounded to bfloat16, and results must have the dtype of what was given.

    Nor may anything rounded stay for the call in float32, which leaves the length of each pair.
    """
    for name, other, one in zip(("queries", "keys"), *found, strict=True):
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
    for given, turned in zip((query, key), found[1], strict=True):
        before, after = (
            x[..., :rotary_size].unflatten(-1, (2, -1)).norm(dim=-2)
            for x in (given.bfloat16().float(), turned)
        )
        if not torch.allclose(before, after, rtol=3e-4):
            raise Finding(
                "After a call in bfloat16, one in float32 is not exact: pairs are longer or "
                "shorter than before they were turned. Are cosines and sines kept, rounded?"
            )
    return "bfloat16"


@unless("bias")
def judge_biases_of_a_part(
    found: list[Any],
    state: dict[str, Tensor],
    num_attention_heads: int,
    num_key_value_heads: int,
    rotary_size: int,
) -> str:
    """The biases must have the order of the rows that they belong to.

    Only where these rows are right, and the biases of heads that turn as a whole: what is wrong
    there, or fails, is for other cases to say. And the dictionary must be a new one where nothing
    moves.
    """
    heads = {"query": num_attention_heads, "key": num_key_value_heads}

    def right(name: str, turned: int) -> Tensor:
        rows = state[name].unflatten(0, (heads[name.partition(".")[0]], -1))
        first = rows[:, :turned].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)
        return torch.cat([first, rows[:, turned:]], dim=1).flatten(0, 1)

    def wrong(kind: str, new: Any, turned: int) -> list[str]:
        names = [f"{layer}.{kind}" for layer in heads]
        return [n for n in names if n not in new or not torch.equal(new[n], right(n, turned))]

    if not found:
        return "biases and rows agree"
    part, whole, given_back = found
    if given_back:
        raise Finding(
            "With a `rotary_size` of 2 nothing moves, and the very dictionary came back that was "
            "given; it must be a new one."
        )
    size = len(state["query.weight"]) // num_attention_heads
    if wrong("weight", part, rotary_size) or wrong("bias", whole, size):
        return "biases and rows agree"
    biases = wrong("bias", part, rotary_size)
    if biases:
        raise Finding(
            f"Where only a part of each head turns, `{biases[0]}` has another order than the rows "
            "that its numbers belong to."
        )
    return "biases and rows agree"


def judge_scores_of_weights(
    new: Any,
    state: dict[str, Tensor],
    num_attention_heads: int,
    num_key_value_heads: int,
    rotary_size: int,
    hidden_states: Tensor,
    position_ids: Tensor,
) -> str:
    """Compare scores from the converted weights, interleaved, with those of before, half-split.

    All of each head is turned, so ``rotary_size`` must be the size of a head.
    """
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
