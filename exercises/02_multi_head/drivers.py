"""How the module of assignment 2 is run. Released with the assignment; holds no answer.

Each driver is given the student's class, what to build it with, weights to load and inputs.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn


class Problem(Exception):  # noqa: N818 - a finding, not an error
    """A sentence about what the student's module does, shown as it is."""


def output_of(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """What the module gives in evaluation mode: the output alone, whether or not weights follow."""
    result = _loaded(cls, init, state).eval()(*inputs)
    return result[0] if isinstance(result, tuple | list) and result else result


def in_training(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """What the module gives in training mode, where its dropout is alive."""
    return _loaded(cls, init, state).train()(*inputs)


def _loaded(cls: type, init: list, state: dict[str, Tensor]) -> nn.Module:
    module = cls(*init)
    if not isinstance(module, nn.Module):
        raise Problem("The class must be an `nn.Module`.")
    own = {name: list(tensor.shape) for name, tensor in module.state_dict().items()}
    wanted = {name: list(tensor.shape) for name, tensor in state.items()}
    missing, added = sorted(wanted.keys() - own.keys()), sorted(own.keys() - wanted.keys())
    if missing:
        raise Problem(
            f"Its `state_dict()` lacks {', '.join(missing)}. Weights must belong to a module that "
            "is assigned to `self`, under these names."
        )
    if added:
        raise Problem(f"Its `state_dict()` has {', '.join(added)}, which should not be there.")
    for name, shape in wanted.items():
        if own[name] != shape:
            raise Problem(f"`{name}` has the shape {own[name]}; expected {shape}.")
    module.load_state_dict(state)
    return module
