"""What several exercises of assignment encoder draw and build with."""

from __future__ import annotations

import torch
from torch import Tensor

Made = frozenset[str]  # the identifiers of the mistakes that an implementation makes


NONE: Made = frozenset()


def draw_lengths(generator: torch.Generator, batch: int, tokens: int) -> Tensor:
    """Draw lengths that differ from each other; all leave room for padding."""
    return torch.randperm(tokens - 1, generator=generator)[:batch] + 1
