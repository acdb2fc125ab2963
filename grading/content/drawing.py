"""Draws that the cases of many exercises are made of; each takes its generator first."""

from __future__ import annotations

from typing import TypeVar

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


def draw_sizes(generator: torch.Generator, count: int, low: int = 2) -> list[int]:
    """Draw pairwise different sizes from ``low`` on, so that no axis passes for another."""
    return (torch.randperm(count + 1, generator=generator)[:count] + low).tolist()
