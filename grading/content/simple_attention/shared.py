"""What several exercises of assignment simple_attention draw and build with."""

from __future__ import annotations

import functools

import torch
from torch import Tensor

from grading.content import drawing


def draw_more_keys(generator: torch.Generator) -> int:
    """Draw a number of keys larger than all other sizes."""
    return int(torch.randint(9, 13, (), generator=generator))


normal = functools.partial(drawing.normal, size=1.3)


def draw_small_integers(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randint(-2, 3, shape, generator=generator).float()
