"""What several exercises on simple attention draw."""

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
    """Draw whole numbers from -2 to 2; every correct way finds the same float32 products."""
    return torch.randint(-2, 3, shape, generator=generator).float()


def draw_padded_mask(
    generator: torch.Generator, batch: int, keys: int, left: bool = False
) -> Tensor:
    """Draw ones for tokens, zeros for padding: every sentence has another length, one is full."""
    lengths = torch.randperm(keys - 2, generator=generator)[:batch] + 1
    lengths[0] = keys
    mask = (torch.arange(keys) < lengths.unsqueeze(1)).long()
    return mask.flip(-1) if left else mask
