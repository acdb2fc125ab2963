"""Harnesses of assignment 6: how its functions and classes are put to work.

Released with the assignment. Each gets the student's function or class first and returns a plain
value, which may need a judge (`judges.py`). Nothing here holds an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grading.check import copied, loaded, run_modules, weighted

# ---- Masks -------------------------------------------------------------------------------------


def with_dtype(
    function: Callable, lengths: Tensor, tokens: int, dtype: str, *more: Any
) -> Tensor | Any:
    """Call with a dtype of PyTorch's in place of its name."""
    return function(lengths, tokens, getattr(torch, dtype), *more)


def three_dtypes(
    function: Callable, lengths: Tensor, tokens: int, dtype: str, *more: Any
) -> list[Tensor | Any]:
    """What such a call gives in float32, in float64, and with the dtype."""
    return [
        with_dtype(function, lengths.clone(), tokens, one, *copied(more))
        for one in ("float32", "float64", dtype)
    ]


# ---- Weights -----------------------------------------------------------------------------------


def converted(
    function: Callable,
    state: dict[str, Tensor],
    num_attention_heads: int,
    layout: dict[str, list[int]],
    shown: list[str],
) -> dict[str, Tensor]:
    """Convert a state; ``layout`` and ``shown`` are for who judges."""
    result: dict[str, Tensor] = function(state, num_attention_heads)
    return result


def converted_in_parts(
    function: Callable,
    state: dict[str, Tensor],
    num_attention_heads: int,
    layout: dict[str, list[int]],
    shown: list[str],
) -> list[dict[str, Tensor] | None]:
    """Convert a state whose names have a prefix and old endings; before, with one of the two.

    What does not belong to the encoder is there in the first and the last. Where that fails there
    is None.
    """
    endings = {"gamma": "weight", "beta": "bias"}
    of_today = {
        f"{module}.{endings.get(kind, kind)}": tensor
        for name, tensor in state.items()
        for module, _, kind in [name.rpartition(".")]
    }
    inside = ("embeddings.", "encoder.")
    without_prefix = {
        name: tensor
        for whole_name, tensor in state.items()
        for name in [whole_name.removeprefix("bert.")]
        if name.startswith(inside) and not name.endswith("position_ids")
    }
    results: list[dict[str, Tensor] | None] = []
    for one in (copied(of_today), copied(without_prefix), state):
        try:
            results.append(function(one, num_attention_heads))
        except Exception:
            results.append(None)
    return results


# ---- Modules -----------------------------------------------------------------------------------


def in_training(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """What a module gives in training mode."""
    return loaded(cls, init, state).train()(*inputs)


def with_and_without_ids(
    cls: type, init: list, state: dict[str, Tensor], inputs: list
) -> list[Any]:
    """What a module gives in training mode for all inputs, and for the first one alone.

    Behind the two stand the parameters that learn nothing from the second; where that fails, None.
    """
    module = loaded(cls, init, state).train()
    given = module(*copied(inputs))
    try:
        alone = module(inputs[0])
        if alone.requires_grad:
            weighted(alone).sum().backward()
    except Exception:
        return [given, None, []]
    parameters = module.named_parameters()
    return [given, alone, [n for n, p in parameters if p.grad is None or not p.grad.any()]]


def beside_another(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """What a module gives in evaluation mode after another one was made, of other sizes."""
    module = loaded(cls, init, state).eval()
    cls(*[size + 1 for size in init[:-2]], *init[-2:])
    return module(*inputs)


def drops(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """What two calls give in training mode; the state makes every number 1 but for dropout."""
    module = loaded(cls, init, state).train()
    with torch.no_grad():
        first = module(*copied(inputs))
    return [first, module(*inputs)]


def evaluate_twice(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """What two calls with the same input give in evaluation mode, one of them with a rate of 1."""
    module, other = (loaded(cls, [*init[:-1], rate], state).eval() for rate in (init[-1], 1.0))
    return [module(*copied(inputs)), other(*inputs)]


def at_real_tokens(
    cls: type, init: list, state: dict[str, Tensor], x: Tensor, attention_mask: Tensor | None
) -> Any:
    """What an encoder gives in evaluation mode; the rows of padding are set to zero."""
    before = copied([x, attention_mask])  # it can be changed
    return _real_rows(loaded(cls, init, state).eval()(x, attention_mask), *before)


@torch.no_grad()
def without_gradients(
    cls: type, init: list, state: dict[str, Tensor], x: Tensor, attention_mask: Tensor | None
) -> Any:
    """The same where no gradients are recorded, as in use: PyTorch then has a faster way."""
    return at_real_tokens(cls, init, state, x, attention_mask)


def _real_rows(output: Any, x: Tensor, attention_mask: Tensor | None) -> Any:
    if attention_mask is None or not isinstance(output, Tensor) or output.shape != x.shape:
        return output
    return output.masked_fill((attention_mask == 0)[..., None], 0.0)


def stacks_again(
    cls: type,
    init: list,
    state: dict[str, Tensor],
    x: Tensor,
    attention_mask: Tensor,
    others: list[Tensor],
    other_state: dict[str, Tensor],
) -> list:
    """As :func:`grading.check.run_modules`, once without a mask; padding's rows are zeros."""
    given, between = [x, attention_mask], [others[0], None]
    found = run_modules(cls, init, state, given, others, other_state, between)
    calls = given, others, between, given, given
    return [_real_rows(output, *inputs) for output, inputs in zip(found, calls, strict=True)]


def change_padding(
    cls: type, init: list, state: dict[str, Tensor], x: Tensor, attention_mask: Tensor
) -> list[Any]:
    """What an encoder gives, and what it gives with other numbers in the rows of padding."""
    module = loaded(cls, init, state).eval()
    other = torch.where((attention_mask != 0)[..., None], x, x.flip(-1) + 1.0)
    with torch.no_grad():
        return [module(x, attention_mask.clone()), module(other, attention_mask.clone())]


def gradients_of_stack(
    cls: type, init: list, state: dict[str, Tensor], x: Tensor, attention_mask: Tensor
) -> dict[str, Tensor | None]:
    """Each parameter's gradient of a fixed loss, or None: with a mask, and then without one."""
    module = loaded(cls, init, state).eval()
    real = attention_mask != 0
    for mask, rows in ((attention_mask, real), (None, torch.ones_like(real))):
        output = module(x, mask)
        if output.requires_grad:
            weighted(output)[rows].mean().backward()
    return {name: p.grad for name, p in module.named_parameters()}
