"""Harnesses of assignment 1: what is called in the place of one call. Released with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from grading.check import digest


def called_twice(function: Callable[[], Any]) -> Any:
    """What a function without arguments gives, or a text that says that two calls differ."""
    first, second = function(), function()
    return first if digest(first) == digest(second) else "another input"


def gradient_of_each(function: Callable[..., Any], *given: Any) -> tuple[Any, ...]:
    """What comes out where one tensor alone requires a gradient; once for each of the tensors."""
    tensors = [tensor for value in given for tensor in _tensors_of(value)]
    results = [function(*(_detached(value, wanted) for value in given)) for wanted in tensors]
    return tuple(
        output
        for result in results
        for output in (result if isinstance(result, tuple | list) else [result])
    )


def _tensors_of(value: Any) -> list[Tensor]:
    values = value.values() if isinstance(value, dict) else [value]
    return [v for v in values if isinstance(v, Tensor) and v.is_floating_point()]


def _detached(value: Any, wanted: Tensor) -> Any:
    """The same, where no tensor but the one that is wanted has a gradient."""
    if isinstance(value, dict):
        return {name: _detached(item, wanted) for name, item in value.items()}
    return value.detach() if isinstance(value, Tensor) and value is not wanted else value
