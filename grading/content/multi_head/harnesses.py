"""How the module of assignment 2 is run. Released with the assignment; holds no answer.

Each harness is given the student's class, what to build it with, weights to load and inputs.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grading.check import copied, loaded


def output_of(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """What the module gives in evaluation mode: the output alone, whether or not weights follow."""
    result = loaded(cls, init, state).eval()(*inputs)
    return result[0] if isinstance(result, tuple | list) and result else result


def output_in_training(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """The output alone in training mode, where dropout is alive."""
    result = loaded(cls, init, state).train()(*inputs)
    return result[0] if isinstance(result, tuple | list) and result else result


def nan_in_gradients(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> int:
    """How many numbers of the parameters' gradients are NaN; those that have none do not count."""
    module = loaded(cls, init, state).eval()
    result = module(*inputs)
    output = result[0] if isinstance(result, tuple | list) and result else result
    if output.requires_grad:
        output.square().sum().backward()
    gradients = [p.grad for p in module.parameters() if p.grad is not None]
    return sum(int(gradient.isnan().sum()) for gradient in gradients)


def weights_moved_by_dropout(
    cls: type, init: list, state: dict[str, Tensor], inputs: list
) -> float:
    """How far the weights that are returned in training are from those in evaluation mode.

    Whatever they are: which weights are right is for other cases to say.
    """
    module = loaded(cls, init, state)
    pairs = [module.train(mode)(*copied(inputs)) for mode in (False, True)]
    weights = [
        pair[1] if isinstance(pair, tuple | list) and len(pair) > 1 else None for pair in pairs
    ]
    one, other = (w if isinstance(w, Tensor) else torch.zeros(()) for w in weights)
    return (
        float((one - other).detach().abs().nan_to_num().max()) if one.shape == other.shape else 0.0
    )


def dropped_weights(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> list[Tensor]:
    """What the heads bring in evaluation mode, and what they bring in training mode.

    ``state`` makes the output what the heads bring, side by side.
    """
    module = loaded(cls, init, state)
    with torch.no_grad():
        return [module.eval()(*inputs)[0], module.train()(*inputs)[0]]
