"""What several exercises of assignment 5 draw their cases with.

Position ids are gapped and differ from row to row, so that counting 0, 1, 2, … shows.
"""

from __future__ import annotations

import torch
from torch import Tensor

from grading.content import drawing


def normal(generator: torch.Generator, *shape: int, size: float = 1.3) -> Tensor:
    """Draw numbers with the standard deviation ``size``."""
    return drawing.normal(generator, *shape, size=size)


def draw_position_ids(generator: torch.Generator, rows: int, tokens: int, far: int = 40) -> Tensor:
    """Draw position ids with gaps, in no order, each row its own; none is 0 or 1."""
    return torch.stack([torch.randperm(far, generator=generator)[:tokens] + 2 for _ in range(rows)])
