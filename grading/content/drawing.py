"""Draws that the cases of many exercises are made of; each takes its generator first."""

from __future__ import annotations

from typing import Any, TypeVar

import torch
from torch import Tensor

T = TypeVar("T")


def normal(generator: torch.Generator, *shape: int, size: float = 1.0) -> Tensor:
    """Draw numbers with the standard deviation ``size``."""
    return torch.randn(*shape, generator=generator) * size


def one_of(generator: torch.Generator, *choices: T) -> T:
    """Draw one of the choices."""
    return choices[int(torch.randint(len(choices), (), generator=generator))]


def draw_integer(generator: torch.Generator, low: int, high: int) -> int:
    """Draw from ``low`` to ``high``, both included."""
    return int(torch.randint(low, high + 1, (), generator=generator))


def redrawn(generator: torch.Generator, value: Any) -> Any:
    """Return another value of the same kind and the same shapes, for a second call.

    The numbers of a floating point tensor stand in another order; of other tensors, such as masks,
    the items of the first axis do.
    """
    if isinstance(value, dict):
        return {key: redrawn(generator, item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)([redrawn(generator, item) for item in value])
    if not isinstance(value, Tensor):
        return value
    if not value.is_floating_point():
        return value.flip(0)
    order = torch.randperm(value.numel(), generator=generator)
    return value.flatten()[order].view(value.shape)


def draw_sizes(generator: torch.Generator, count: int, low: int = 2) -> list[int]:
    """Draw pairwise different sizes from ``low`` on, so that no axis passes for another."""
    return (torch.randperm(count + 1, generator=generator)[:count] + low).tolist()
