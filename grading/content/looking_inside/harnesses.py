"""Harnesses of assignment 11: how its functions are put to work.

Released with the assignment. Each gets the student's function first and returns a plain value,
which may need a judge (`judges.py`). Nothing here holds an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from grading.check import Finding, copied, describe

# ---- A score and its chance --------------------------------------------------------------------


def score_of(function: Callable, *arguments: Any) -> Any:
    """The first of the two results, the scores of the heads."""
    return _results(function, ("score", "chance"), arguments)[0]


def chance_of(function: Callable, *arguments: Any) -> Any:
    """The second of the two results, a number."""
    return _number(_results(function, ("score", "chance"), arguments)[1])


def change_by_padding(
    function: Callable,
    attention: Tensor,
    input_ids: Tensor,
    attention_mask: Tensor,
    padding: int,
) -> Any:
    """By how much the chance changes if the padding on the left is cut off: one number."""
    cut = attention[..., padding:, padding:].contiguous(), input_ids[:, padding:].contiguous()
    padded = chance_of(function, attention, input_ids, attention_mask)
    alone = chance_of(function, *cut, attention_mask[:, padding:].contiguous())
    return padded - alone


def _results(function: Callable, names: tuple[str, ...], arguments: tuple) -> Any:
    results = function(*arguments)
    expected = f"expected `({', '.join(names)})`"
    if results is None:
        raise Finding(f"It returned None; {expected}. Is `return` missing?")
    if not isinstance(results, tuple | list) or len(results) != len(names):
        raise Finding(f"It returned {describe(results)}; {expected}.")
    return results


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Tensor):
        raise Finding(f"It returned {describe(value)} where a number is expected.")
    if isinstance(value, Tensor) and value.numel() != 1:
        raise Finding(f"It returned a tensor of shape {list(value.shape)}; expected one number.")
    return float(value)


# ---- A lens ------------------------------------------------------------------------------------

_LENS = ("log_probs", "ranks", "settled")


def log_probs_before_the_last(function: Callable, *arguments: Any) -> Any:
    """The log-probabilities at all depths but the last."""
    log_probs = _results(function, _LENS, arguments)[0]
    return log_probs[:-1] if isinstance(log_probs, Tensor) and log_probs.dim() else log_probs


def log_probs_at_the_last(function: Callable, *arguments: Any) -> Any:
    """The log-probabilities at the last depth."""
    log_probs = _results(function, _LENS, arguments)[0]
    return log_probs[-1] if isinstance(log_probs, Tensor) and log_probs.dim() else log_probs


def ranks_of(function: Callable, *arguments: Any) -> Any:
    """The ranks of the targets at all depths."""
    return _results(function, _LENS, arguments)[1]


def settled_of(function: Callable, *arguments: Any) -> Any:
    """The depths from which on the targets are on top."""
    return _results(function, _LENS, arguments)[2]
