"""How the module of assignment 2 is run. Released with the assignment; holds no answer.

Each harness of the module is given the student's class, what to build it with, weights to load and
inputs.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grading.check import Finding, copied, loaded, quoted, run_module, run_modules, train_module


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
    """As :func:`grading.check.run_modules`, once without a mask, and the outputs alone.

    And once more for the very same inputs, before the last call, when other weights are loaded.
    """
    results = run_modules(cls, init, state, inputs, others, other_state, others[:2])
    module, same = loaded(cls, init, state).eval(), copied(inputs)
    with torch.no_grad():  # where keys and values may be kept
        module(*same)
        module.load_state_dict(other_state, strict=False)
        results.insert(-1, module(*same))
    return [
        result[0] if isinstance(result, tuple | list) and result else result for result in results
    ]


def output_in_training(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """The output alone in training mode, where dropout is alive."""
    result = loaded(cls, init, state).train()(*inputs)
    return result[0] if isinstance(result, tuple | list) and result else result


def gradients_in_both_modes(
    cls: type, init: list, state: dict[str, Tensor], inputs: list
) -> dict[str, Any]:
    """As :func:`grading.check.train_module`, after a backward pass in training, with dropout."""
    module = loaded(cls, [*init[:3], 0.3], state).train()
    result = module(*copied(inputs[:2]))  # no mask: what the softmax gives is what is dropped
    output = result[0] if isinstance(result, tuple | list) and result else result
    if output.requires_grad:
        output.sum().backward()
    unreached = [name for name, p in module.named_parameters() if p.grad is None]
    if unreached:
        raise Finding(f"In training mode no gradient reaches {quoted(unreached)}.")
    return train_module(cls, init, state, inputs)


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
