"""What several exercises of assignment normalization draw and build with."""

from __future__ import annotations

import functools
import math

import torch
from torch import Tensor

from grading.content import drawing

normal = functools.partial(drawing.normal, size=1.3)


def draw_away_from_zero(generator: torch.Generator, *shape: int) -> Tensor:
    """Numbers of either sign and a size between 0.3 and 0.7 or 1.4 and 2: never near 0 or ±1."""
    low, high, sign = torch.rand(3, *shape, generator=generator)
    size = torch.where(high < 0.5, 0.3 + 0.4 * low, 1.4 + 0.6 * low)
    return torch.where(sign < 0.5, -size, size)


def draw_affine(generator: torch.Generator, *shape: int) -> dict[str, Tensor]:
    """Gain and bias of a normalisation."""
    return {
        "weight": draw_away_from_zero(generator, *shape),
        "bias": draw_away_from_zero(generator, *shape),
    }


def draw_linear(generator: torch.Generator, out: int, into: int, bias: bool = True) -> dict:
    state = {"weight": normal(generator, out, into, size=1.3 / math.sqrt(into))}
    return {**state, "bias": draw_away_from_zero(generator, out)} if bias else state


def draw_vectors(generator: torch.Generator, *shape: int, axes: int = 1) -> Tensor:
    """Large numbers with a mean: each group that is normalised has a variance above 9."""
    while True:
        x = normal(generator, *shape, size=6.0)
        x = x + normal(generator, *shape[:-axes], *[1] * axes, size=4.0)
        if x.flatten(-axes).var(-1, correction=0).min() > 9:
            return x
