"""Judges of assignment 3: what it means what the harnesses bring. Released with the assignment.

Nothing here runs beside a student's code when a submission is graded. Each is given what the
harness of its name brought, then the arguments of the case; it gives back what is compared, or
raises a `Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grading.check import Finding, brought, unless

SAME = 1e-6


def judge_to_be_saved(found: dict[str, Any], *_: Any) -> Any:
    """The weights, if their memory is as a file format wants it, and their own."""
    moved, strides, later = brought(found)["moved"], found["strides"], found["later"]
    if not isinstance(moved, dict):
        return moved
    tensors = {name: tensor for name, tensor in moved.items() if isinstance(tensor, Tensor)}
    for name, tensor in tensors.items():
        if not _is_contiguous(list(tensor.shape), strides[name]):
            raise Finding(
                f"'{name}' is not contiguous: it is read across its memory, as a transposed view "
                "is, or a clone of one. Files of weights want `.contiguous()` tensors."
            )
    for name, tensor in tensors.items():
        if not torch.equal(tensor, later[name]):
            raise Finding(
                f"'{name}' shares its memory with the state that was given: training one model "
                "would change the other. Return a copy (`.clone()`)."
            )
    return moved


@unless("convolution")
def judge_memory_of(moves: list[dict[str, Any] | None], state: dict[str, Tensor], *_: Any) -> str:
    """Whether the weights, whatever they are, lie in memory of their own, one after another.

    And whether there are biases only where there were some.
    """
    for found in moves:
        moved = judge_to_be_saved(found) if found else None
        names = list(map(str, moved)) if isinstance(moved, dict) else []
        biases = [name for name in names if name.endswith(".bias")]
        if biases and not any(name.endswith(".bias") for name in state):
            raise Finding(
                f"The state that was given has no biases, and the result has '{biases[0]}'."
            )
    return "in memory of their own"


def _is_contiguous(shape: list[int], strides: list[int]) -> bool:
    """Whether the numbers lie one after another; an axis of length 1 may have any stride."""
    pairs = zip(shape, strides, strict=True)
    return 0 in shape or all(
        size == 1 or stride == math.prod(shape[axis + 1 :])
        for axis, (size, stride) in enumerate(pairs)
    )


@unless("interleaved")
def judge_gradients_reach(found: list[dict[str, Any] | None], *_: Any) -> str:
    """Whether a gradient reaches each row of each parameter, and nothing is dropped."""
    for layout in found:
        if layout is not None:
            _judge_gradients_reach(layout)
    return "gradients reach all rows"


def _judge_gradients_reach(found: dict[str, Any]) -> None:
    for name, gradient in brought(found)["gradients"].items():
        if gradient is None:
            raise Finding(f"No gradient reaches `{name}`.")
        if not gradient.any(dim=-1).all():
            raise Finding(f"No gradient reaches some rows of `{name}`.")
    problems = (
        "In training mode another result comes out than in evaluation mode.",
        "In training mode another result comes out than in evaluation mode, once the weights have "
        "changed, as in a step of training.",
        "In evaluation mode without gradients, the weights are those from before a step of "
        "training.",
    )
    for step, problem in enumerate(problems):
        one, other = found["results"][2 * step : 2 * step + 2]
        if not torch.allclose(one, other, rtol=1e-4, atol=1e-4, equal_nan=True):
            raise Finding(problem)


def judge_run_twice(found: list[Tensor], *_: Any) -> Tensor:
    """The result, if it was the same both times."""
    one, two = found
    if not torch.equal(one, two):
        raise Finding(
            "In evaluation mode the same input gives two different outputs: some dropout is alive."
        )
    return one


def judge_change_one_token(found: list[Tensor], *_: Any) -> str:
    """Another token must move its own output and no other."""
    one, changed = found
    moved = (changed - one).abs().amax(dim=-1) > 1e-5  # [batch, tokens]
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


def judge_train_with_dropout(
    found: list[Tensor], init: list, state: dict[str, Tensor], x: Tensor
) -> str:
    """Which share of the updates is zero in training mode, and are the others enlarged?"""
    p = init[-1]
    right, again, output, another, plain, added = found
    drops_at_zero = not torch.allclose(plain, right, rtol=1e-4, atol=1e-4)
    right, again = right - x, again - x
    update = output - x
    zero = update.abs() < SAME  # [batch, tokens, hidden]
    dropped = float(zero.float().mean())
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
    if any((zero.any(dim) == zero.all(dim)).all() for dim in (0, 1, 2)):
        raise Finding(
            "In training mode whole channels or whole tokens are dropped, or the same numbers in "
            "all sequences; dropout as it was drops each number of the update by itself."
        )
    if abs(dropped - p) > 0.12:
        raise Finding(
            f"In training mode a share of {dropped:.2f} of the updates is zero; the rate that was "
            f"asked for is {p:g}."
        )
    kept = ~zero
    if not torch.allclose(update[kept], right[kept] / (1 - p), atol=1e-3, rtol=1e-3):
        if torch.allclose(update[kept], right[kept], atol=1e-3, rtol=1e-3):
            raise Finding(
                "In training mode the numbers that are kept are those of evaluation mode. What "
                "must happen to them, so that a sum of many is as large on average as without "
                "dropout?"
            )
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
    layers = added * (1 - p)  # how many of the two have left a number
    if not torch.allclose(layers, layers.round(), atol=1e-3):
        raise Finding(f"With two layers in training mode, not both drop at the given rate, {p:g}.")
    if not (layers.round() == 1).any():
        raise Finding(
            "In training mode all layers drop the same numbers of their updates; each has to draw "
            "its own."
        )
    if drops_at_zero:
        raise Finding(
            "In training mode the stack drops although it was built with dropout=0.0: 0 is a rate "
            "like any other."
        )
    return "dropout works in training"
