"""What several exercises of the assignment on normalisation draw.

Gains are never near 1 and biases never near 0, so that a forgotten one shows. In the cases that are
not about eps the numbers are so large that no usual eps can be seen; in those that are, it is 0.1
against variances of the same size, or 1e-12 where 1e-5 would show.
"""

from __future__ import annotations

import functools
import math

import torch
from torch import Tensor

from grading.content import drawing

normal = functools.partial(drawing.normal, size=1.3)


def draw_away_from_zero(generator: torch.Generator, *shape: int) -> Tensor:
    """Draw numbers of either sign whose size is between 0.3 and 0.7 or between 1.4 and 2."""
    low, high, sign = torch.rand(3, *shape, generator=generator)
    size = torch.where(high < 0.5, 0.3 + 0.4 * low, 1.4 + 0.6 * low)
    return torch.where(sign < 0.5, -size, size)


def draw_affine(generator: torch.Generator, *shape: int) -> dict[str, Tensor]:
    """Draw gain and bias of a normalisation."""
    return {
        "weight": draw_away_from_zero(generator, *shape),
        "bias": draw_away_from_zero(generator, *shape),
    }


def draw_linear(generator: torch.Generator, out: int, into: int, bias: bool = True) -> dict:
    """Draw the weights of a linear layer, as its ``state_dict()`` has them."""
    state = {"weight": normal(generator, out, into, size=1.3 / math.sqrt(into))}
    return {**state, "bias": draw_away_from_zero(generator, out)} if bias else state
