"""How the module of assignment 2 is run. Released with the assignment; holds no answer.

Each harness of the module is given the student's class, what to build it with, weights to load and
inputs.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grading.check import copied, loaded, run_module, run_modules


def output_of(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """What the module gives in evaluation mode: the output alone, whether or not weights follow."""
    result = loaded(cls, init, state).eval()(*inputs)
    return result[0] if isinstance(result, tuple | list) and result else result


def outputs_of_two(
    cls: type,
    init: list,
    state: dict[str, Tensor],
    inputs: list,
    others: list,
    other_state: dict[str, Tensor],
) -> list:
    """As :func:`grading.check.run_modules`, once without a mask, and the outputs alone."""
    results = run_modules(cls, init, state, inputs, others, other_state, others[:2])
    return [
        result[0] if isinstance(result, tuple | list) and result else result for result in results
    ]


def output_in_training(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """The output alone in training mode, where dropout is alive."""
    result = loaded(cls, init, state).train()(*inputs)
    return result[0] if isinstance(result, tuple | list) and result else result


def weights_of_padding(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """What the module gives in evaluation mode."""
    return run_module(cls, init, state, inputs)


def nan_in_gradients(
    cls: type, init: list, state: dict[str, Tensor], inputs: list
) -> list[Tensor | None]:
    """The parameters' gradients for a fixed loss, None where there is none."""
    module = loaded(cls, init, state).eval()
    result = module(*inputs)
    output = result[0] if isinstance(result, tuple | list) and result else result
    if output.requires_grad:
        output.square().sum().backward()
    return [parameter.grad for parameter in module.parameters()]


def weights_moved_by_dropout(
    cls: type, init: list, state: dict[str, Tensor], inputs: list
) -> list[Any]:
    """What the module gives in evaluation mode, and what it gives in training mode."""
    module = loaded(cls, init, state)
    with torch.no_grad():
        return [module.train(mode)(*copied(inputs)) for mode in (False, True)]


def dropped_weights(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> list[Any]:
    """The same, where the output is what the heads bring, side by side.

    ``state`` makes it so, and values by which this shows the weights, each twice.
    """
    return weights_moved_by_dropout(cls, init, state, inputs)
