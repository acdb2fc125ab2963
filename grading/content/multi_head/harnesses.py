"""How the module of assignment 2 is run. Released with the assignment; holds no answer.

Each harness is given the student's class, what to build it with, weights to load and inputs.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grading.check import loaded


def output_of(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """What the module gives in evaluation mode: the output alone, whether or not weights follow."""
    result = loaded(cls, init, state).eval()(*inputs)
    return result[0] if isinstance(result, tuple | list) and result else result


def in_training(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """What the module gives in training mode, where its dropout is alive."""
    return loaded(cls, init, state).train()(*inputs)


def dropped_weights(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> list[Tensor]:
    """What the heads bring in evaluation mode, and what they bring in training mode.

    ``state`` makes the output what the heads bring, side by side.
    """
    module = loaded(cls, init, state)
    with torch.no_grad():
        return [module.eval()(*inputs)[0], module.train()(*inputs)[0]]
