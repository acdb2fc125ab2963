"""What several exercises on the encoder draw."""

from __future__ import annotations

import torch
from torch import Tensor


def real_tokens(lengths: Tensor, tokens: int, left: bool = False) -> Tensor:
    """Return ``[batch, tokens]``, True where a token is real; padding follows, or precedes."""
    position = torch.arange(tokens)
    return position >= tokens - lengths[:, None] if left else position < lengths[:, None]


def draw_lengths(generator: torch.Generator, batch: int, tokens: int) -> Tensor:
    """Draw lengths that differ from each other; all leave room for padding."""
    return torch.randperm(tokens - 1, generator=generator)[:batch] + 1
