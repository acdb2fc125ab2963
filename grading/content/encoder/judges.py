"""Judges of assignment 6: what it means what the harnesses bring. Released with the assignment.

Nothing here runs beside a student's code when a submission is graded. Each is given what the
harness of its name brought, then the arguments of the case; it gives back what is compared, or
raises a `Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grading.check import Finding, NotJudged, Opaque, asked_first, of_any_form, quoted, unless

# ---- Masks -------------------------------------------------------------------------------------


@unless("combined")
@asked_first
def judge_three_dtypes(found: list[Any], lengths: Tensor, tokens: int, dtype: str, *_: Any) -> str:
    """The dtype must be the one that was asked for, and so must its lowest number.

    Where the numbers stand is for other cases to say, and so are numbers that are wrong in
    float32, too.
    """
    if not all(isinstance(one, Tensor) for one in found):
        raise Finding("It did not return a tensor.")
    for asked, other in zip(("float64", dtype), found[1:], strict=True):
        if other.dtype != getattr(torch, asked):
            kind = str(other.dtype).removeprefix("torch.")
            raise Finding(f"Asked for {asked}, it returned {kind}.")
        if not _is_mask(found[0]):
            raise NotJudged("In float32 it holds something else than 0 and the lowest number.")
        if not _is_mask(other):
            raise Finding(
                f"In float32 it holds 0 and the lowest number of the dtype; in {asked} it holds "
                "something else."
            )
    return dtype


def _is_mask(tensor: Tensor) -> bool:
    if not tensor.is_floating_point():
        return False
    return bool(((tensor == 0) | (tensor == torch.finfo(tensor.dtype).min)).all())


# ---- Weights -----------------------------------------------------------------------------------


@of_any_form
def judge_converted(
    result: Any,
    state: dict[str, Tensor],
    num_attention_heads: int,
    layout: dict[str, list[int]],
    shown: list[str],
) -> dict[str, Tensor]:
    """The tensors whose names begin as ``shown``, if all of the layout are there and no others."""
    if not isinstance(result, dict):
        raise Finding(
            f"It returned {_kind(result)}; expected a dictionary of names and tensors, as "
            "`load_state_dict` wants it."
        )
    missing = [name for name in layout if name not in result]
    added = sorted((name for name in result if name not in layout), key=str)
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
            f"`{name}` has the shape `{list(result[name].shape)}`; expected `{layout[name]}`.{more}"
        )
    return {name: result[name] for name in layout if name.startswith(tuple(shown))}


@unless("whole")
@asked_first
def judge_converted_in_parts(
    found: list[Any],
    state: dict[str, Tensor],
    num_attention_heads: int,
    layout: dict[str, list[int]],
    *_: Any,
) -> str:
    """A prefix and old endings must be understood together, if each is by itself.

    What does not belong to the encoder comes with the prefix.
    """
    if not isinstance(found, list) or len(found) != 3:
        raise Finding(f"It returned {_kind(found)}; expected what three calls return.")
    *alone, both = (isinstance(one, dict) and set(one) == set(layout) for one in found)
    if not all(alone):
        raise NotJudged("A whole model, or one with old names, is not understood.")
    if not both:
        how = "fails" if found[-1] is None else "gets other names than these"
        raise Finding(
            "A whole model, its names with `bert.` and a head, is understood, and so are old "
            f"names with `gamma` and `beta`; a whole model with old names {how}."
        )
    return "understood together, or not by themselves"


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    return f"a value of type {value.type if isinstance(value, Opaque) else type(value).__name__}"


# ---- Modules -----------------------------------------------------------------------------------


@unless("counted")
def judge_with_and_without_ids(found: list[Any], *_: Any) -> Any:
    """What was given for all inputs, if all parameters learn where some are left out, too.

    Only where the numbers are the same: what is wrong with them is for other cases to say.
    """
    given, alone, unreached = found
    tensors = isinstance(given, Tensor) and isinstance(alone, Tensor)
    if unreached and tensors and given.shape == alone.shape and torch.allclose(given, alone):
        raise Finding(
            f"Where segments and positions are left out, no gradient reaches {quoted(unreached)}."
        )
    return given


def judge_drops(found: list[Any], init: list, *_: Any) -> str:
    """Of numbers that would all be 1, dropout takes each by itself, and divides the others."""
    first, second = found
    rate = init[-1]
    if not (isinstance(first, Tensor) and isinstance(second, Tensor) and first.dim() == 3):
        raise Finding("In training mode it did not return a tensor `[batch, tokens, hidden_size]`.")
    dropped = first.abs() < 1e-6
    if not dropped.any():
        raise Finding("In training mode no number is dropped on its way to the projection.")
    if first.equal(second) or any(
        bool((dropped == dropped.narrow(axis, 0, 1)).all()) for axis in range(3)
    ):
        raise Finding(
            "In training mode not each number is dropped by itself: whole vectors are, or the same "
            "numbers of every token, of every text, or in every call."
        )
    if not abs(float(dropped.float().mean()) - rate) < 0.1:
        raise Finding(f"With a dropout of {rate} another share of the numbers is dropped.")
    kept = 1 / (1 - rate)
    if not bool(torch.isclose(first[~dropped], torch.tensor(kept), rtol=1e-3).all()):
        raise Finding(
            f"In training mode, with a dropout of {rate}, the numbers that are kept are not "
            f"{kept:.3f} times as large: they are divided by 1 − p, as `nn.Dropout` does it."
        )
    return "dropped one by one"


def judge_evaluate_twice(found: list[Any], *_: Any) -> Any:
    """The result, if it was the same both times."""
    first, second = found
    if isinstance(first, Tensor) and not (isinstance(second, Tensor) and first.equal(second)):
        raise Finding(
            "In evaluation mode two calls with the same input give different numbers: dropout is "
            "still alive after `eval()`."
        )
    return first


def judge_change_padding(
    found: list[Tensor], init: list, state: dict, x: Tensor, attention_mask: Tensor
) -> str:
    """No real token may notice what stands in the rows of padding."""
    one, other = found
    change = float((one - other)[attention_mask != 0].abs().max())
    if not change < 1e-4:
        raise Finding(
            f"Other numbers in the rows of padding move real tokens, by up to {change:.2g}: "
            "somewhere padding is still looked at."
        )
    return "real tokens unchanged"


@asked_first
def judge_gradients_of_stack(found: dict[str, Tensor | None], *_: Any) -> dict[str, Any]:
    """Some of the gradients, if all are there."""
    unreached = [name for name, gradient in found.items() if gradient is None]
    if unreached:
        raise Finding(f"No gradient reaches {quoted(unreached)}.")
    return {name: g for name, g in found.items() if name.endswith("norm1.bias")}
