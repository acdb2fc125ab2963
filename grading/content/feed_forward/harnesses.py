"""Harnesses of assignment 3: answers that are more than one call. Released with the assignment.

They hold no answer: each uses the student's object in a certain way and gives back what it did, or
raises a :class:`Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from grading.check import Finding, loaded

SAME = 1e-6


def refusal(function: Callable, hidden_states: Tensor, state: dict, activation: str) -> str:
    """Call with a name that is no activation: only a ``ValueError`` is right."""
    try:
        result = function(hidden_states, state, activation)
    except ValueError:
        return "ValueError"
    except NotImplementedError:
        raise
    except Exception as error:
        raise Finding(
            f"For the unknown activation '{activation}' it raised {type(error).__name__}; raise a "
            "`ValueError` that says which name was not understood."
        ) from error
    if isinstance(result, Exception):
        raise Finding(
            f"For the unknown activation '{activation}' it returned an error; it must be raised."
        )
    raise Finding(
        f"For the unknown activation '{activation}' it returned a result without a word; raise a "
        "`ValueError`."
    )


def to_be_saved(move: Callable, state: dict[str, Tensor], source: str, target: str) -> dict:
    """Move weights and examine the memory of the result, as a file format would."""
    moved = move(state, source, target)
    if not isinstance(moved, dict):
        return moved
    tensors = {name: t for name, t in moved.items() if isinstance(t, Tensor)}
    for name, tensor in tensors.items():
        if not tensor.is_contiguous():
            raise Finding(
                f"'{name}' is not contiguous: it is a transposed view of other memory. Files of "
                "weights want `.contiguous()` tensors."
            )
    given = {tensor.untyped_storage().data_ptr() for tensor in state.values()}
    for name, tensor in tensors.items():
        if tensor.untyped_storage().data_ptr() in given:
            raise Finding(
                f"'{name}' shares its memory with the state that was given: training one model "
                "would change the other. Return a copy (`.clone()`)."
            )
    return moved


def run_twice(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> Tensor:
    """Run a module twice in evaluation mode; the results must be the same."""
    module = loaded(cls, init, state).eval()
    one, two = module(x), module(x)
    if not torch.equal(one, two):
        raise Finding(
            "In evaluation mode the same input gives two different outputs: some dropout is alive."
        )
    return one


def change_one_token(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> str:
    """Change one token of one sequence and look at which outputs move."""
    module = loaded(cls, init, state).eval()
    changed = x.clone()
    changed[0, 1] += 1.0
    moved = (module(changed) - module(x)).abs().amax(dim=-1) > 1e-5  # [batch, tokens]
    others = moved.clone()
    others[0, 1] = False
    if others.any():
        raise Finding(
            "One token of the first sequence was changed, and the outputs of "
            f"{int(others.sum())} other tokens moved: the layer mixes tokens."
        )
    if not moved[0, 1]:
        raise Finding("One token was changed, and its own output did not move.")
    return "only its own output moved"


def train_with_dropout(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> str:
    """Look at the updates in training mode: which share is zero, and are the others enlarged?"""
    module = loaded(cls, init, state)
    p = init[-1]
    with torch.no_grad():
        right, again = (module.eval()(x) - x for _ in range(2))
        output, another = (module.train()(x) for _ in range(2))
    update = output - x
    dropped = float((update.abs() < SAME).float().mean())
    emptied = float((output.abs() < SAME).float().mean())
    if torch.equal(output, another):
        raise Finding(
            f"In training mode nothing is dropped, although the rate is {p:g}: a repair must keep "
            "dropout where it belongs."
        )
    if not torch.equal(right, again):
        raise Finding("In evaluation mode the same input gives two different outputs, too.")
    if emptied > p / 2:
        raise Finding(
            "In training mode numbers of the output itself are zero: dropout is applied after the "
            "addition. It belongs to the update, before it is added."
        )
    if dropped < 0.02:
        raise Finding(
            "In training mode the updates change, but hardly any of their numbers is zero: dropout "
            "stands somewhere else than behind the second map."
        )
    if abs(dropped - p) > 0.12:
        raise Finding(
            f"In training mode a share of {dropped:.2f} of the updates is zero; the rate that was "
            f"asked for is {p:g}."
        )
    kept = update.abs() >= SAME
    if not torch.allclose(update[kept], right[kept] / (1 - p), atol=1e-3, rtol=1e-3):
        times = (update[kept] / right[kept]).median()
        if not torch.allclose(update[kept], right[kept] * times, atol=1e-3, rtol=1e-3):
            raise Finding(
                "In training mode the numbers of the updates that are kept are not all the same "
                "number of times those of evaluation mode, as if something were dropped before "
                "the second map, too. Only the update is to be dropped."
            )
        raise Finding(
            f"In training mode the numbers that are kept are {float(times):.2f} times those of "
            f"evaluation mode, as with a rate of {1 - 1 / float(times):.2f}; with the rate that "
            f"was asked for, {p:g}, it is 1 / (1 − {p:g}) = {1 / (1 - p):.2f}."
        )
    return "dropout works in training"


def examine_test(test: Callable, source: str) -> str:
    """Run a student's test on the implementation in ``source``: ``accepted`` or ``rejected``."""
    names = {"torch": torch, "nn": nn, "F": nn.functional, "math": math}
    exec(source, names)
    try:
        answer = test(names["feed_forward"])
    except NotImplementedError:
        raise
    except Exception:
        return "rejected"
    if isinstance(answer, bool | Tensor):
        raise Finding(
            "It returned a value and raised nothing. A test rejects by raising an exception: write "
            "`assert …` instead of `return …`."
        )
    return "accepted"
