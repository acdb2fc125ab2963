"""What several exercises of assignment feed_forward draw and build with."""

from __future__ import annotations

import torch

CUT_OFF = (
    "The numbers are right, but they are cut off from autograd (`detach`, `.data`, `no_grad`, or a "
    "new tensor built from numbers), so nothing could be learned."
)


def draw_width(generator: torch.Generator) -> int:
    """Draw a width larger than all other sizes, and odd, so that nothing halves it unnoticed."""
    return int(torch.randint(4, 6, (), generator=generator)) * 2 + 1
