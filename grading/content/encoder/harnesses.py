"""Harnesses of assignment 6: how its functions and classes are put to work.

Released with the assignment. Each gets the student's function or class first and returns a plain
value, or raises a `Finding` whose sentence is shown as it is. Nothing here holds an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from grading.check import Finding, copied, loaded, quoted

# ---- Masks -------------------------------------------------------------------------------------


def with_dtype(
    function: Callable, lengths: Tensor, tokens: int, dtype: str, *more: Any
) -> Tensor | Any:
    """Call with a dtype of PyTorch's in place of its name."""
    return function(lengths, tokens, getattr(torch, dtype), *more)


# ---- Weights -----------------------------------------------------------------------------------


def converted(
    function: Callable,
    state: dict[str, Tensor],
    num_attention_heads: int,
    layout: dict[str, list[int]],
    shown: list[str],
) -> dict[str, Tensor]:
    """Convert a state and load it strictly; return the tensors whose names begin as ``shown``."""
    result = function(state, num_attention_heads)
    if not isinstance(result, dict):
        raise Finding(
            f"It returned {_kind(result)}; expected a dictionary of names and tensors, as "
            "`load_state_dict` wants it."
        )
    missing = [name for name in layout if name not in result]
    added = [str(name) for name in result if name not in layout]
    not_asked = f" It has {quoted(added)}, which the new layout does not know." if added else ""
    if missing:
        raise Finding(f"The result lacks {quoted(missing)}.{not_asked}")
    if added:
        raise Finding(not_asked.strip())
    for name in layout:
        if not isinstance(result[name], Tensor):
            raise Finding(f"`{name}` is {_kind(result[name])}; expected a tensor.")
    wrong = [name for name, shape in layout.items() if list(result[name].shape) != shape]
    if wrong:
        name, *others = wrong
        more = f" So it is with {quoted(others, 12)}." if others else ""
        raise Finding(
            f"`{name}` has the shape {list(result[name].shape)}; expected {layout[name]}.{more}"
        )
    return {name: result[name] for name in layout if name.startswith(tuple(shown))}


# ---- Modules -----------------------------------------------------------------------------------


def in_training(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """What a module gives in training mode."""
    return loaded(cls, init, state).train()(*inputs)


def evaluate_twice(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> Any:
    """In evaluation mode the same input gives the same result."""
    module = loaded(cls, init, state).eval()
    first, second = module(*copied(inputs)), module(*inputs)
    if isinstance(first, Tensor) and not torch.equal(first, second):
        raise Finding(
            "In evaluation mode two calls with the same input give different numbers: dropout is "
            "still alive after `eval()`."
        )
    return first


def at_real_tokens(
    cls: type, init: list, state: dict[str, Tensor], x: Tensor, attention_mask: Tensor | None
) -> Any:
    """What an encoder gives in evaluation mode; the rows of padding are set to zero."""
    return _real_rows(loaded(cls, init, state).eval(), x, attention_mask)


def _real_rows(module: nn.Module, x: Tensor, attention_mask: Tensor | None) -> Any:
    padding = None if attention_mask is None else attention_mask == 0  # before it can be changed
    output = module(x, attention_mask)
    if padding is None or not isinstance(output, Tensor) or output.shape != x.shape:
        return output
    return output.masked_fill(padding[..., None], 0.0)


def stacks_again(
    cls: type,
    init: list,
    state: dict[str, Tensor],
    x: Tensor,
    attention_mask: Tensor,
    others: list[Tensor],
    other_state: dict[str, Tensor],
) -> list:
    """As :func:`grading.check.run_modules`; the rows of padding are set to zero."""
    one, other = (loaded(cls, init, weights).eval() for weights in (state, other_state))
    given = [x, attention_mask]
    calls = (one, given), (one, others), (other, given), (one, given)
    return [_real_rows(module, *copied(inputs)) for module, inputs in calls]


def change_padding(
    cls: type, init: list, state: dict[str, Tensor], x: Tensor, attention_mask: Tensor
) -> str:
    """Fill the rows of padding with other numbers: no real token may notice."""
    module = loaded(cls, init, state).eval()
    real = attention_mask != 0
    other = torch.where(real[..., None], x, x.flip(-1) + 1.0)
    with torch.no_grad():
        moved = module(x, attention_mask.clone()) - module(other, attention_mask.clone())
    change = float(moved[real].abs().max())
    if not change < 1e-4:
        raise Finding(
            f"Other numbers in the rows of padding move real tokens, by up to {change:.2g}: "
            "somewhere padding is still looked at."
        )
    return "real tokens unchanged"


def gradients_of_stack(
    cls: type, init: list, state: dict[str, Tensor], x: Tensor, attention_mask: Tensor
) -> dict[str, Tensor]:
    """Gradients of a fixed loss over the real tokens: all must be there, some are returned."""
    module = loaded(cls, init, state).eval()
    real = attention_mask != 0
    output = module(x, attention_mask)
    if output.requires_grad:
        weights = torch.linspace(-1, 1, output.numel()).view(output.shape)
        (output * weights)[real].mean().backward()
    unreached = [name for name, p in module.named_parameters() if p.grad is None]
    if unreached:
        raise Finding(f"No gradient reaches {quoted(unreached)}.")
    return {name: p.grad for name, p in module.named_parameters() if name.endswith("norm1.bias")}


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a value of type {type(value).__name__}"
