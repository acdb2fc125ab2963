"""Harnesses of assignment 10: a buffer, a stream, and weights. Released with the assignment.

They hold no answer: each uses the student's object in a certain way and gives back what it did, for
`judges.py`, or raises a :class:`Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from grading.check import Finding

# ---- Gradients -----------------------------------------------------------------------------------


def gradients(function: Callable, *tensors: Tensor) -> dict[str, Tensor]:
    """What is learned from a sum of the results: the gradients of query, key and value."""
    leaves = {
        name: tensor.clone().requires_grad_()
        for name, tensor in zip(("query", "key", "value"), tensors, strict=False)
    }
    result = function(*leaves.values(), *tensors[3:])
    if not isinstance(result, Tensor):
        raise Finding("It must return a tensor.")
    if result.requires_grad:
        result.sum().backward()
    return {name: leaf.grad for name, leaf in leaves.items() if leaf.grad is not None}


# ---- A ring --------------------------------------------------------------------------------------


def read_text(
    cls: type, window: int, room: int, key: Tensor, value: Tensor, pieces: list[int]
) -> dict[str, Tensor]:
    """Read a text in pieces with a new ring: all that each call returned."""
    return _read(cls(window, room), key, value, pieces)


def read_far(
    cls: type, window: int, room: int, key: Tensor, value: Tensor, pieces: list[int]
) -> dict[str, Tensor]:
    """Read a long text in pieces with a new ring: the masks of the last four calls."""
    found = _read(cls(window, room), key, value, pieces)
    return {name: part for name, part in [*found.items()][-12:] if name.startswith("mask")}


def read_rings(
    cls: type,
    window: int,
    room: int,
    key: Tensor,
    value: Tensor,
    other_window: int,
    other_key: Tensor,
    other_value: Tensor,
) -> list[dict[str, Tensor]]:
    """Read two texts at once, token by token in turns, and then the first again with a new ring.

    The first ring is ahead of the other one, so that nothing of what they hold is the same. The new
    ring is reset before it has read anything; only then the first one reads its last token.
    """
    rings, ahead = (cls(window, room), cls(other_window, room)), room - window + 1
    found: list[dict[str, Tensor]] = [{}, {}]
    texts = [
        list(zip(keys.split(1, 2), values.split(1, 2), strict=True))
        for keys, values in ((key, value), (other_key, other_value))
    ]
    *texts[0], late = texts[0]
    for turn in range(max(len(texts[0]), len(texts[1]) + ahead)):
        for ring, place in ((0, turn), (1, turn - ahead)):
            if 0 <= place < len(texts[ring]):
                found[ring] |= _updated(rings[ring], *texts[ring][place], place + 1)
    third = cls(window, room)
    third.reset()
    found[0] |= _updated(rings[0], *late, key.size(2))
    again = _read(third, key, value, [1] * key.size(2))
    return [*found, again]


def read_after_reset(
    cls: type,
    window: int,
    room: int,
    key: Tensor,
    value: Tensor,
    other_key: Tensor,
    other_value: Tensor,
) -> dict[str, Tensor]:
    """Read one text, reset the ring, and read another: what is returned for the other."""
    ring = cls(window, room)
    _read(ring, key, value, [1] * key.size(2))
    ring.reset()
    return _read(ring, other_key, other_value, [1] * other_key.size(2))


def read_too_much(
    cls: type, window: int, room: int, key: Tensor, value: Tensor, pieces: list[int]
) -> dict[str, Any]:
    """Read pieces of which one has too many tokens, and then go on: what happened each time.

    The piece that is too long is the second last; the last begins where it began. Where the first
    piece is too long, it is of more texts, in float64.
    """
    ring = cls(window, room)
    *some, long, last = pieces
    first = sum(some)
    found: dict[str, Any] = {}
    if first:
        found |= _read(ring, key[:, :, :first], value[:, :, :first], some)
    refused = [part[:, :, first : first + long] for part in (key, value)]
    if not first:
        refused = [torch.cat([part, part]).double() for part in refused]
    try:
        ring.update(*refused)
    except ValueError:
        found["too many"] = "ValueError"
    except NotImplementedError:
        raise
    except Exception:
        found["too many"] = "another error"
    else:
        found["too many"] = "no error"
    if found["too many"] == "ValueError":
        end = first + last
        piece = key[:, :, first:end], value[:, :, first:end]
        found |= _updated(ring, *piece, len(pieces))
    return found


def _read(ring: Any, key: Tensor, value: Tensor, pieces: list[int]) -> dict[str, Tensor]:
    found = {}
    both = zip(key.split(pieces, 2), value.split(pieces, 2), strict=True)
    for number, piece in enumerate(both, start=1):
        found |= _updated(ring, *piece, number)
    return found


def _updated(ring: Any, key: Tensor, value: Tensor, number: int) -> dict[str, Tensor]:
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")  # `torch.empty` is filled with NaN
    try:
        result = ring.update(key, value)
    finally:
        torch.set_deterministic_debug_mode(before)
    if result is None:
        raise Finding("`update` returned None; expected `(key, value, mask)`. Is `return` missing?")
    if not isinstance(result, tuple | list) or len(result) != 3:
        raise Finding("`update` must return three things: the key, the value and the mask.")
    if not all(isinstance(part, Tensor) for part in result):
        raise Finding("What `update` returns must be three tensors: key, value and mask.")
    names = (f"{name} of call_{number}" for name in ("key", "value", "mask"))
    return {name: part.detach().clone() for name, part in zip(names, result, strict=True)}


# ---- A router ------------------------------------------------------------------------------------


def routed(function: Callable, logits: Tensor, bias: Tensor, top_k: int, *rest: Any) -> tuple:
    """The weights and the experts, without the new bias."""
    return _three(function(logits, bias, top_k, *rest))[:2]


def new_bias(function: Callable, logits: Tensor, bias: Tensor, top_k: int, *rest: Any) -> Any:
    """The new bias alone."""
    return _three(function(logits, bias, top_k, *rest))[2]


def _three(result: Any) -> tuple[Any, ...]:
    if result is None:
        raise Finding(
            "It returned None; expected `(weights, expert_ids, new_bias)`. Is `return` missing?"
        )
    if not isinstance(result, tuple | list) or len(result) != 3:
        raise Finding("It must return three things: the weights, the experts and the new bias.")
    return tuple(result)


# ---- A stream ------------------------------------------------------------------------------------


def streamed(
    function: Callable, query: Tensor, keys: list, values: list, masks: list | None = None
) -> Any:
    """Let blocks of keys and values go past, each overwritten when the next is asked for."""
    return function(query, _once(keys, values, masks or [None] * len(keys)))


def streamed_small(
    function: Callable, query: Tensor, keys: list, values: list, masks: list
) -> list[Any]:
    """The log-sum-exps of a stream, and those with scores a hundredth as large."""
    found = []
    for part in (1, 100):
        result = streamed(function, query, [key / part for key in keys], values, masks)
        pair = isinstance(result, tuple | list) and len(result) == 2
        found.append(result[1] if pair else None)
    return found


def _once(keys: list, values: list, masks: list) -> Iterator[tuple[Any, ...]]:
    for key, value, mask in zip(keys, values, masks, strict=True):
        block = [part if part is None else part.clone() for part in (key, value, mask)]
        yield tuple(block)
        for part in block[:2]:
            part.zero_()
        if mask is not None:
            block[2].fill_(False)


# ---- Weights -------------------------------------------------------------------------------------


def each_refused(
    function: Callable, state: dict, heads: int, kv_heads: int, without: list, added: list
) -> dict[str, dict[str, str]]:
    """Give it the state without some names, or with another, one after the other.

    What ends with a full stop stands for all names that begin so: a layer.
    """
    states = {name: {n: t for n, t in state.items() if not _is_of(n, name)} for name in without}
    states |= {name: {**state, name: next(iter(state.values()))} for name in added}
    return {name: _refused(function, given, heads, kv_heads) for name, given in states.items()}


def _is_of(name: str, given: str) -> bool:
    return name == given or (given.endswith(".") and name.startswith(given))


def _refused(function: Callable, state: dict, heads: int, kv_heads: int) -> dict[str, str]:
    """Give it a state that it must refuse: whether and with which error it did."""
    try:
        function(state, heads, kv_heads)
    except ValueError as error:
        return {"error": "ValueError", "text": str(error)[:4000]}
    except NotImplementedError:
        raise
    except Exception:
        return {"error": "another", "text": ""}
    return {"error": "none", "text": ""}
