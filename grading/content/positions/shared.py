"""What several exercises of assignment positions draw and build with."""

from __future__ import annotations

import functools

import torch
from torch import Tensor

from grading.content import drawing

Made = frozenset[str]  # the identifiers of the mistakes that an implementation makes


normal = functools.partial(drawing.normal, size=1.3)


def draw_position_ids(generator: torch.Generator, rows: int, tokens: int, far: int = 40) -> Tensor:
    """Draw position ids with gaps, in no order, each row its own; none is 0 or 1."""
    return torch.stack([torch.randperm(far, generator=generator)[:tokens] + 2 for _ in range(rows)])
