"""Run a function on prepared cases, compare what comes back, and say in words what is wrong.

This file is released beside every assignment and is the untrusted half of the grader: it holds no
reference code and no hidden case, and needs nothing but torch and safetensors. In a student's
notebook ``check("name")`` does all of it on the public cases of ``cases.safetensors``. When a
submission is graded, only :func:`run_call` runs beside the student's code; the comparison runs in
another process, which nothing in the notebook can reach.

From top to bottom: plain values, one call, differences, the verdict on an exercise, the report.
"""

from __future__ import annotations

import contextlib
import hashlib
import html
import importlib.util
import io
import itertools
import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch

# ---- Plain values ------------------------------------------------------------------------------
# What crosses the border between a notebook and the grader: tensors as raw numbers, the rest as
# JSON. Nothing is pickled, so nothing that comes back can run code.

MAX_BYTES = 32_000_000


class UnpackError(ValueError):
    """Bytes that hold no plain value."""


@dataclass(frozen=True)
class Other:
    """Stands for a value that is no plain data (a module, an array, a generator)."""

    type: str


def pack(value: Any) -> bytes:
    """Write nested tuples, lists, dictionaries, numbers, strings and tensors as safetensors."""
    tensors: dict[str, torch.Tensor] = {}
    tree = _to_tree(value, tensors, depth=0)
    return safetensors.torch.save(tensors, {"tree": json.dumps(tree, separators=(",", ":"))})


def unpack(data: bytes) -> Any:
    """Read what :func:`pack` wrote.

    Raises:
        UnpackError: if ``data`` is anything else; it may come from hostile code.
    """
    try:
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + length])
        tree = json.loads(header["__metadata__"]["tree"])
        return _from_tree(tree, safetensors.torch.load(data))
    except (
        safetensors.SafetensorError,
        AttributeError,
        IndexError,
        KeyError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise UnpackError("These bytes hold no plain value.") from error


def as_sent(value: Any) -> Any:
    """Return what :func:`unpack` makes of what :func:`pack` writes, without the bytes."""
    tensors: dict[str, torch.Tensor] = {}
    return _from_tree(_to_tree(value, tensors, depth=0), tensors)


def _to_tree(value: Any, tensors: dict[str, torch.Tensor], depth: int) -> Any:
    if depth > 20:
        return {"other": "a deeply nested value"}
    if isinstance(value, torch.Tensor):
        return _tensor_to_tree(value, tensors)
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_to_tree(item, tensors, depth + 1) for item in list(value)[:10_000]]}
    if isinstance(value, dict):
        pairs = list(value.items())[:1_000]
        return {"dict": [[str(key), _to_tree(item, tensors, depth + 1)] for key, item in pairs]}
    if isinstance(value, Other):
        return {"other": value.type}
    if value is None or type(value) in (bool, str):
        return {"plain": value}
    if type(value) is int and abs(value) < 2**63:
        return {"plain": value}
    if type(value) is float:
        return {"float": repr(value)}
    return {"other": type(value).__name__}


def _tensor_to_tree(value: torch.Tensor, tensors: dict[str, torch.Tensor]) -> Any:
    with torch._C.DisableTorchFunctionSubclass():
        if value.layout is not torch.strided or value.is_quantized or value.is_meta:
            return {"other": f"a {value.layout} tensor on {value.device}"}
        if value.is_floating_point() and value.element_size() < 2:
            return {"other": f"a tensor of {value.dtype}"}
        bytes_so_far = sum(tensor.nbytes for tensor in tensors.values())
        if bytes_so_far + value.nbytes > MAX_BYTES:
            return {"other": f"a tensor too large to be sent, {value.numel()} numbers"}
        plain = value.detach().to("cpu").as_subclass(torch.Tensor).clone().contiguous()
        name = _fingerprint(plain)  # the same numbers are stored once
        tensors[name] = plain
        return {"tensor": name}


def _fingerprint(tensor: torch.Tensor) -> str:
    shape = "x".join(map(str, tensor.shape))
    numbers = hashlib.sha256(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
    return f"{_dtype(tensor)}-{shape}-{numbers.hexdigest()[:16]}"


def _from_tree(tree: Any, tensors: dict[str, torch.Tensor]) -> Any:
    ((kind, content),) = tree.items()
    if kind == "tensor":
        return tensors[content]
    if kind == "tuple":
        return tuple(_from_tree(item, tensors) for item in content)
    if kind == "list":
        return [_from_tree(item, tensors) for item in content]
    if kind == "dict":
        return {printable(key, 80): _from_tree(item, tensors) for key, item in content}
    if kind == "float":
        return float(content)
    if kind == "other":
        return Other(printable(content, 80))
    if kind == "plain":
        return content
    raise UnpackError(f"Unknown kind of value: {kind!r}.")


# ---- One call ----------------------------------------------------------------------------------


class Problem(Exception):  # noqa: N818 - a finding, not an error
    """Raised by a harness: a sentence about what the student's object does, shown as it is."""


def run_call(namespace: dict[str, Any], call: dict[str, Any]) -> dict[str, Any]:
    """Call a function of ``namespace`` once and describe what happened as a plain value.

    Args:
        namespace: where the function is looked up, as a notebook's globals.
        call: ``name`` of the function; ``arguments``, a list of ``[name, value]`` in order;
            optionally ``strided`` (pass tensors that are not contiguous), ``cotangents`` (what
            each output counts in a loss, whose gradients for the arguments come back too) and
            ``harness``: a function that is given the student's object (a class, a test, a function
            to be called more than once) before the arguments, and called in its place.

    Returns:
        ``status`` is ``"value"`` (with ``value``, the names of arguments that the function
        ``changed``, and ``gradients``), ``"error"`` (with ``type`` and ``text``) or ``"missing"``.
    """
    function = namespace.get(call["name"])
    if not callable(function):
        return {"status": "missing", "found": None if function is None else type(function).__name__}
    names = [name for name, _ in call["arguments"]]
    given = [_fresh(value, call) for _, value in call["arguments"]]
    before = [_snapshot(value) for value in given]
    torch.default_generator.manual_seed(0)  # those of other devices would take longer than the call
    try:
        harness = call.get("harness")
        value = harness(function, *given) if harness else function(*given)
        gradients = _gradients(value, given, names, call)
    except BaseException as error:  # whatever a submission may raise, SystemExit included
        return {"status": "error", "type": _named(type(error)), "text": _named(error)}
    changed = [
        name
        for name, was, is_now in zip(names, before, given, strict=True)
        if was != _snapshot(is_now)
    ]
    return {"status": "value", "value": value, "changed": changed, "gradients": gradients}


def packed_call(namespace: dict[str, Any], call: dict[str, Any]) -> bytes:
    """Do :func:`run_call` and pack the outcome, whatever object the function returned.

    A harness may be named, with the ``source`` of the file that defines it.
    """
    if isinstance(call.get("harness"), str):
        call = {**call, "harness": _from_source(call["source"], call["harness"])}
    outcome = run_call(namespace, call)
    try:
        return pack(outcome)
    except BaseException:  # an object that fights being looked at
        return pack({**outcome, "value": Other(type(outcome.get("value")).__name__)})


def printable(text: Any, length: int = 300) -> str:
    """Shorten a text that may be hostile to a line without characters that move a cursor."""
    line = str(text).strip().partition("\n")[0][:length]
    return "".join(letter if letter.isprintable() else " " for letter in line)


def _named(error: BaseException | type) -> str:
    try:
        return printable(error.__name__ if isinstance(error, type) else error)
    except BaseException:  # even asking it for its name may fail
        return ""


def _fresh(value: Any, call: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return {key: _fresh(item, call) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(_fresh(item, call) for item in value)
    if not isinstance(value, torch.Tensor):
        return value
    value = value.clone()
    if call.get("strided") and value.dim() > 1:
        value = value.transpose(-2, -1).contiguous().transpose(-2, -1)
    return value.requires_grad_(bool(call.get("cotangents")) and value.is_floating_point())


def _snapshot(value: Any) -> Any:
    """The value as it is now, each tensor as its fingerprint."""
    return _to_tree(value, {}, depth=0)


def _gradients(value: Any, given: list, names: list[str], call: dict[str, Any]) -> dict | None:
    cotangents = call.get("cotangents")
    outputs = value if isinstance(value, tuple | list) else [value]
    if not cotangents or len(outputs) != len(cotangents):
        return None
    wanted = {name: v for name, v in zip(names, given, strict=True) if _wants_gradient(v)}
    loss = 0.0
    for output, cotangent in zip(outputs, cotangents, strict=True):
        if not isinstance(output, torch.Tensor) or output.shape != cotangent.shape:
            return None
        loss = loss + (output * cotangent).sum()
    if not loss.requires_grad:
        return dict.fromkeys(wanted)
    found = torch.autograd.grad(loss, list(wanted.values()), allow_unused=True)
    return dict(zip(wanted, found, strict=True))


def _wants_gradient(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


# Drivers that more than one assignment needs; what only one needs is in its own `harnesses.py`.


def run_module(cls: type, init: list, state: dict[str, torch.Tensor], inputs: list) -> Any:
    """Build ``cls(*init)``, load ``state`` and return what it gives in evaluation mode."""
    return _loaded(cls, init, state).eval()(*inputs)


def train_module(cls: type, init: list, state: dict[str, torch.Tensor], inputs: list) -> dict:
    """Build and load as :func:`run_module`; return each parameter's gradient for a fixed loss.

    Raises:
        Problem: if a parameter gets no gradient.
    """
    module = _loaded(cls, init, state).eval()  # without dropout, but with gradients
    output = module(*inputs)
    output = output[0] if isinstance(output, tuple | list) else output
    if output.requires_grad:
        (output * torch.linspace(-1, 1, output.numel()).view(output.shape)).sum().backward()
    parameters = dict(module.named_parameters())
    unreached = [name for name, p in parameters.items() if p.grad is None]
    if unreached:
        raise Problem(f"No gradient reaches {quoted(unreached)}.")
    return {name: parameter.grad for name, parameter in parameters.items()}


def run_test(test: Callable, name: str, source: str) -> str:
    """Run a student's test on an implementation: the text ``accepted`` or ``rejected``.

    Args:
        test: takes the implementation and raises an exception if it finds it wrong.
        name: of the implementation in ``source``.
        source: Python code; it may use ``torch``, ``F``, ``nn`` and ``math``.
    """
    namespace = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "math": math}
    exec(source, namespace)
    try:
        result = test(namespace[name])
    except NotImplementedError:  # the exercise as it was released
        raise
    except Exception:
        return "rejected"
    if isinstance(result, bool):
        raise Problem("Your test returned a bool. It must raise an error instead: use `assert`.")
    return "accepted"


def quoted(names: list[str], most: int = 4) -> str:
    """Write names for a sentence: `a`, `b` and 3 more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"`{name}`" for name in names[:most]) + more


def _loaded(cls: type, init: list, state: dict[str, torch.Tensor]) -> torch.nn.Module:
    module = cls(*init)
    if not isinstance(module, torch.nn.Module):
        raise Problem(f"It made {describe(Other(type(module).__name__))}; expected an `nn.Module`.")
    own = module.state_dict()
    missing = [name for name in state if name not in own]
    if missing:
        raise Problem(
            f"Its `state_dict()` lacks {quoted(missing)}. Weights must be `nn.Parameter`s of the "
            "module or belong to a module that is assigned to `self`, under these names; modules "
            "in a plain list are not seen, those in an `nn.ModuleList` are."
        )
    added = [name for name, _ in module.named_parameters() if name not in state]
    if added:
        raise Problem(f"It has the parameters {quoted(added)}, which should not be there.")
    for name, tensor in state.items():
        if own[name].shape != tensor.shape:
            raise Problem(
                f"`{name}` has the shape {list(own[name].shape)}; expected {list(tensor.shape)}."
            )
    module.load_state_dict(state, strict=False)  # it may have buffers of its own
    return module


def _from_source(source: str, name: str) -> Callable:
    """The harness ``name`` of this file, or of the ``source`` that came with a call."""
    if name in ("run_module", "train_module", "run_test"):
        return globals()[name]
    namespace: dict[str, Any] = {"__name__": "harnesses"}
    exec(compile(source, "harnesses.py", "exec"), namespace)
    return namespace[name]


# ---- Differences -------------------------------------------------------------------------------


def difference(expected: Any, found: Any, tolerance: float) -> str | None:
    """Say in one sentence how ``found`` differs from ``expected``, or return None.

    Tensors must agree in shape and dtype exactly and in each number to ``tolerance``, absolute for
    small numbers and relative for large ones. A tuple may be a list; a number may be a tensor
    without dimensions. What a wrong tensor has in common with the right one, such as its numbers
    in another order, follows in a second sentence.
    """
    if isinstance(expected, torch.Tensor):
        return _tensor_difference(expected, found, tolerance)
    if isinstance(expected, tuple | list):
        if not isinstance(found, tuple | list) or len(found) != len(expected):
            return f"It returned {describe(found)}; expected {len(expected)} values." + _piece(
                expected, found, tolerance
            )
        for place, (one, other) in enumerate(zip(expected, found, strict=True), start=1):
            problem = difference(one, other, tolerance)
            if problem:
                return f"Value {place}: {problem}"
        return None
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return f"It returned {describe(found)}; expected {describe(expected)}."
        missing = [name for name in expected if name not in found]
        added = [name for name in found if name not in expected]
        if missing or added:
            lacks = [f"lacks {quoted(missing)}"] if missing else []
            has = [f"has {quoted(added)}, which should not be there"] if added else []
            return f"The dictionary {' and '.join(lacks + has)}."
        for key, one in expected.items():
            problem = difference(one, found[key], tolerance)
            if problem:
                return f"{key}: {problem}"
        return None
    if isinstance(found, torch.Tensor) and found.dim() == 0:
        found = found.item()
    if isinstance(expected, bool | str) or expected is None:
        same = type(found) is type(expected) and found == expected
        return None if same else f"It returned {describe(found)}; expected {describe(expected)}."
    if isinstance(found, bool) or not isinstance(found, int | float):
        return f"It returned {describe(found)}; expected a number."
    if math.isclose(expected, found, rel_tol=tolerance, abs_tol=tolerance) or expected == found:
        return None
    return f"It returned {found:.6g}; expected {expected:.6g}."


def _piece(expected: tuple | list, found: Any, tolerance: float) -> str:
    """Say which piece of a sequence came back, if it is one."""
    count = len(found) if isinstance(found, tuple | list) else 0
    if 0 < count < len(expected):
        for name, piece in (("first", expected[:count]), ("last", expected[-count:])):
            if difference(piece, found, tolerance) is None:
                return f" These are the {name} {count}."
    return ""


def _tensor_difference(expected: torch.Tensor, found: Any, tolerance: float) -> str | None:
    if not isinstance(found, torch.Tensor):
        hint = " Is the `return` missing?" if found is None else ""
        return f"It returned {describe(found)}; expected a tensor.{hint}"
    if found.shape != expected.shape:
        return (
            f"The shape is {list(found.shape)}; expected {list(expected.shape)}."
            + _same_numbers(expected, found, tolerance)
        )  # fmt: skip
    if found.dtype != expected.dtype:
        both_real = found.is_floating_point() and expected.is_floating_point()
        rounded = both_real and bool(_close(expected, found, 1e-2).all())
        rest = " Apart from that the numbers are right." if rounded else ""
        return f"The dtype is {_dtype(found)}; expected {_dtype(expected)}.{rest}"
    close = _close(expected, found, tolerance)
    wrong = int((~close).sum())
    if not wrong:
        return None
    if not expected.is_floating_point():
        pattern = _pattern(expected.double(), found.double(), close, tolerance)
        return f"{wrong} of {expected.numel()} entries differ.{pattern}"
    nan = int((found.isnan() & ~expected.isnan()).sum())
    if nan:
        return f"{nan} of {expected.numel()} numbers are NaN." + _places(~close)
    largest = float((found.double() - expected.double())[~close].abs().max())
    size = "infinitely" if math.isinf(largest) else f"by up to {largest:.2g}"
    pattern = _pattern(expected.double(), found.double(), close, tolerance)
    return f"{wrong} of {expected.numel()} numbers differ, {size}.{pattern}"


def _close(expected: torch.Tensor, found: torch.Tensor, tolerance: float) -> torch.Tensor:
    if not expected.is_floating_point():
        return expected == found
    return torch.isclose(
        found.double(), expected.double(), rtol=tolerance, atol=tolerance, equal_nan=True
    )


def _equal(expected: torch.Tensor, found: torch.Tensor, tolerance: float) -> bool:
    return expected.shape == found.shape and bool(_close(expected, found, tolerance).all())


def _pattern(
    expected: torch.Tensor, found: torch.Tensor, close: torch.Tensor, tolerance: float
) -> str:
    """Say what wrong numbers have to do with the right ones, if that is plain to see."""
    if expected.numel() < 2:
        ratio = float(expected.flatten()[0] / found.flatten()[0])
        times = f", {ratio:.4g} times as much" if math.isfinite(ratio) and ratio > 0 else ""
        return f" It is {_number(found)}; expected {_number(expected)}{times}."
    if expected.min() >= 0 and _equal(1 - expected, found, tolerance):
        return " Each is 1 minus what is expected."
    ratio = (found / expected)[expected.abs() > 1e-3]
    times = f"{float(ratio.median()):.4g}" if ratio.numel() > 1 and found.any() else "1"
    if times != "1" and _equal(expected * ratio.median(), found, tolerance):
        return f" Each is {times} times what is expected."
    if not close.any():
        more = found - expected
        if float(more.max() - more.min()) < 10 * tolerance:
            size = "large" if float(more.mean()) > 0 else "small"
            return f" Each is {abs(float(more.mean())):.4g} too {size}."
    for one, other in itertools.combinations(range(expected.dim()), 2):
        if _equal(expected.transpose(one, other), found, tolerance):
            return f" These are the right numbers with the axes {one} and {other} exchanged."
    for axis in range(expected.dim()):
        if _equal(expected.flip(axis), found, tolerance):
            return f" These are the right numbers in reverse order along axis {axis}."
        for step in (-1, 1):
            if _equal(expected.roll(step, axis), found, tolerance):
                where = "earlier" if step < 0 else "later"
                return f" These are the right numbers, one place {where} along axis {axis}."
    for axis in range(expected.dim()):
        where = _reordered(expected, found, axis, tolerance)
        if where is not None:
            return (
                f" Along axis {axis} all that is expected is there, but in another order: at index "
                f"{where[0]} stands what belongs to index {where[1]}."
            )
    size = expected.abs()  # of each number, and of a usual one: a few may be very large
    if bool(((found - expected).abs() < 0.01 * (size + size.median())).all()):
        return " They are nearly right, as a constant, an eps or a precision would make them."
    together = _one_value(expected[~close], found[~close])
    return _places(~close) + (together or _by_rows(expected, found, tolerance))


def _reordered(
    expected: torch.Tensor, found: torch.Tensor, axis: int, tolerance: float
) -> tuple[int, int] | None:
    """The first place along an axis where another slice stands, if the slices are all there."""
    if expected.dim() < 2:
        return None
    one, other = (t.transpose(0, axis).flatten(1) for t in (expected, found))
    count, size = one.shape
    if count < 3 or size < 2 or count * count * size > 1_000_000:
        return None
    same = torch.isclose(one[:, None], other[None], rtol=tolerance, atol=tolerance).all(dim=2)
    if not (same.sum(dim=0) == 1).all() or not (same.sum(dim=1) == 1).all():
        return None
    stands = same.int().argmax(dim=0)  # which expected slice stands at each place
    place = int((stands != torch.arange(count)).int().argmax())
    return place, int(stands[place])


def _number(value: torch.Tensor) -> str:
    return f"{float(value.flatten()[0]):.5g}".replace("-inf", "−∞").replace("inf", "∞")


def _one_value(expected: torch.Tensor, found: torch.Tensor) -> str:
    """Say it if the wrong numbers are all the same, or should be."""
    if expected.numel() < 2:
        return f" It is {_number(found)}; expected {_number(expected)}."
    are, should = bool((found == found[0]).all()), bool((expected == expected[0]).all())
    if are and should:
        return f" All of them are {_number(found)}; expected {_number(expected)}."
    if are:
        return f" All of them are {_number(found)}, and should be other numbers."
    return f" All of them should be {_number(expected)}." if should else ""


def _by_rows(expected: torch.Tensor, found: torch.Tensor, tolerance: float) -> str:
    """Say it if whole rows are off by a factor or by the same amount, each by its own."""
    if not (found.isfinite() & expected.isfinite()).all():
        return ""
    more = found - expected
    for axis in reversed(range(expected.dim())):
        if expected.size(axis) < 3:
            continue
        if float((more.amax(axis) - more.amin(axis)).max()) < 10 * tolerance:
            return f" What is too much or too little is the same all along axis {axis}."
        factor = (found * expected).sum(axis, keepdim=True)
        factor = factor / expected.square().sum(axis, keepdim=True).clamp(min=1e-12)
        if factor.numel() > 1 and _equal(expected * factor, found, tolerance):
            low, high = float(factor.min()), float(factor.max())
            return (
                f" Along axis {axis} everything is right but for a factor, from {low:.3g} to "
                f"{high:.3g}."
            )
    return ""


def _places(wrong: torch.Tensor) -> str:
    """Say along which axis the wrong numbers keep together."""
    kept = []
    for axis, size in enumerate(wrong.shape):
        bad = wrong.transpose(axis, 0).flatten(1).any(dim=1) if wrong.dim() > 1 else wrong
        count = int(bad.sum())
        if count < size:
            kept.append((count / size, axis, size, bad.nonzero().flatten().tolist()))
    if not kept:
        return ""
    _, axis, size, indices = min(kept)
    if len(indices) == 1:
        return f" All of them lie at index {indices[0]} of axis {axis}."
    if len(indices) == size - 1 and size > 2:
        (right,) = set(range(size)) - set(indices)
        return f" Only index {right} of axis {axis} is right."
    return (
        f" They lie at {len(indices)} of the {size} indices of axis {axis}; the others are right."
    )


def _same_numbers(expected: torch.Tensor, found: torch.Tensor, tolerance: float) -> str:
    """Say what a tensor of another shape has to do with the right one."""
    if found.dtype != expected.dtype or expected.numel() < 2:
        return ""
    if found.dim() == expected.dim() and sorted(found.shape) == sorted(expected.shape):
        for order in itertools.permutations(range(min(expected.dim(), 5))):
            if len(order) == expected.dim() and _equal(expected.permute(order), found, tolerance):
                return f" These are the right numbers with the axes in the order {list(order)}."
        return " These are the same sizes in another order."
    if _equal(expected.squeeze(), found.squeeze(), tolerance):
        return " The numbers are right; only axes of length 1 are missing or too many."
    if found.numel() == expected.numel() and _equal(expected.flatten(), found.flatten(), tolerance):
        return " The numbers are right and in order; only the axes are not."
    for axis, size in enumerate(expected.shape):
        kept = found.size(axis) if found.dim() == expected.dim() else 0
        if 0 < kept < size and _equal(expected.narrow(axis, 0, kept), found, tolerance):
            return f" These are the first {kept} of {size} along axis {axis}."
        if 0 < kept < size and _equal(expected.narrow(axis, size - kept, kept), found, tolerance):
            return f" These are the last {kept} of {size} along axis {axis}."
        if kept > size > 0 and _equal(expected, found.narrow(axis, 0, size), tolerance):
            return f" The first {size} along axis {axis} are right; the others are too many."
        if expected.is_floating_point():
            for name in ("mean", "sum", "amax"):
                reduced = getattr(expected, name)(dim=axis)
                if _equal(reduced.squeeze(), found.squeeze(), 10 * tolerance):
                    what = {"amax": "maximum"}.get(name, name)
                    return f" It is the {what} of the right result over axis {axis}."
    if len(expected.shape) != len(found.shape):
        return f" It has {found.dim()} dimensions instead of {expected.dim()}."
    return ""


def _dtype(value: torch.Tensor) -> str:
    return str(value.dtype).removeprefix("torch.")


def describe(value: Any) -> str:
    """Name a value without its numbers: ``float32 [2, 3, 5]``, ``None``, ``a tuple of 2``."""
    if isinstance(value, torch.Tensor):
        return f"{_dtype(value)} {list(value.shape)}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, Other):
        return value.type if value.type.startswith("a ") else f"a value of type {value.type}"
    if isinstance(value, dict):
        return f"a dictionary with {quoted(sorted(value)) or 'nothing in it'}"
    return repr(value)[:60]


# ---- The verdict on an exercise ----------------------------------------------------------------


@dataclass
class CaseVerdict:
    """One case: what was called, whether the outcome is right, and if not, what is wrong."""

    title: str
    part: str
    inputs: str
    expected: str
    found: str
    problem: str | None


@dataclass
class Verdict:
    """What an exercise earns and why; ``status`` is one word for programs.

    ``status``: ``correct``, ``partly`` (some points), ``wrong``, ``not attempted``, ``not run``.
    ``mistakes``: identifiers of the known mistakes whose results these are.
    """

    exercise: str
    points: float
    max_points: float
    status: str
    summary: str
    mistakes: list[str] = field(default_factory=list)
    explanations: list[str] = field(default_factory=list)
    cases: list[CaseVerdict] = field(default_factory=list)
    section: str = ""
    note: str = ""


Outcome = dict[str, Any]
Predictions = dict[str, list[Outcome]]
AND = " + "  # between the mistakes of a pair
VERSION = "~"  # between a mistake and the number of another way to make it


def judge(
    exercise: dict[str, Any],
    outcomes: list[Outcome],
    predictions: Callable[[], Predictions],
    pairs: Callable[[], Predictions] = dict,
) -> Verdict:
    """Compare the outcomes of an exercise's cases with what is expected.

    Args:
        exercise: ``id``, ``parts`` (``id``, ``title``, ``points``; the first is the core, without
            which the others earn nothing), ``cases`` (``title``, ``part``, ``call`` and
            ``expected``, or the ``judge`` of an exercise that has no single right answer),
            ``mistakes`` (identifier to ``message`` and ``section``), ``tolerance`` and
            ``section``, what to read again.
        outcomes: for each case what :func:`run_call` returned, or a status such as ``"timeout"``.
        predictions: gives, for each known mistake and ``mistake~1`` (another way to make it), the
            outcomes that it would have had; asked only if something is wrong.
        pairs: the same for two mistakes at once, named ``one + other``; asked only if no mistake
            alone explains everything.
    """
    if any("validator" in case for case in exercise["cases"]):
        outcomes = outcomes[:1] * len(outcomes)  # all judges look at one and the same value
    cases, named = [], []
    for case, outcome in zip(exercise["cases"], outcomes, strict=True):
        problem, mistake = _problem(exercise, case, outcome)
        cases.append(_case_verdict(case, outcome, problem))
        if mistake and mistake not in named:
            named.append(mistake)
    points, max_points = _points(exercise, cases)
    verdict = Verdict(exercise["id"], points, max_points, "correct", "", cases=cases)
    failed = [place for place, case in enumerate(cases) if case.problem]
    if not failed:
        verdict.summary = f"All {len(cases)} cases are right."
        return verdict
    verdict.section = exercise["section"]
    are = "is" if len(failed) == 1 else "are"
    verdict.summary = f"{len(failed)} of {len(cases)} cases {are} wrong."
    verdict.status = "partly" if points else "wrong"
    _name_the_obvious(verdict, [outcomes[place] for place in failed], len(failed) == len(cases))
    if verdict.status != "not attempted":
        if named:  # by judges, whose sentences stand at the cases
            verdict.mistakes = named
        else:
            found, explained = _recognise(exercise, outcomes, failed, predictions(), pairs)
            verdict.mistakes = list(dict.fromkeys(name.partition(VERSION)[0] for name in found))
            verdict.explanations += _explain(exercise, verdict.mistakes, explained)
            if explained != "all":
                verdict.explanations += _about_a_test(exercise, outcomes, failed)
            for mistake in verdict.mistakes[:1]:
                verdict.section = exercise["mistakes"][mistake.split(AND)[0]]["section"]
    return verdict


def _problem(exercise: dict, case: dict, outcome: Outcome) -> tuple[str | None, str | None]:
    """The sentence that says what is wrong with an outcome, and the mistake if it is known."""
    status = outcome["status"]
    if status == "missing":
        found = outcome.get("found")
        what = f"is a {found}, not a function" if found else "is not defined in the notebook"
        return f"`{case['call']['name']}` {what}.", None
    if status == "error" and outcome["type"] == Problem.__name__:
        return outcome["text"], None
    if status == "error":
        told = ""
        if "size" in outcome["text"] or "shape" in outcome["text"]:
            sizes = re.findall(r"\d+", re.sub(r"dim\w* \d+", "", outcome["text"]))
            told = _whence(set(map(int, sizes)), case)
        return f"It raised {outcome['type']}: {outcome['text']}".rstrip(": .") + f".{told}", None
    if status != "value":
        return outcome["text"], None
    if "validator" in case:
        try:
            finding = case["validator"](outcome["value"])
        except Exception:  # of a value that nobody thought of
            return f"It returned {describe(outcome['value'])}, which cannot be examined.", None
        if finding is not None:
            return finding[1], finding[0]
    else:
        problem = difference(case["expected"]["value"], outcome["value"], exercise["tolerance"])
        problem = problem or _gradient_problem(case["expected"], outcome, exercise["tolerance"])
        if problem:
            told = _sizes_explained(case, outcome["value"]) or _argument_added(
                case, outcome["value"], exercise["tolerance"]
            )
            return problem + told, None
    if outcome["changed"]:
        names = " and ".join(f"`{name}`" for name in outcome["changed"])
        return f"The result is right, but the function changed its argument {names}.", None
    return None, None


def _argument_added(case: dict, found: Any, tolerance: float) -> str:
    """Say it if the wrong numbers are the right ones plus or minus an argument."""
    right = case["expected"]["value"]
    right, found = (v[0] if isinstance(v, tuple | list) and v else v for v in (right, found))
    if not isinstance(right, torch.Tensor) or not isinstance(found, torch.Tensor):
        return ""
    if right.shape != found.shape or not right.is_floating_point() or right.numel() < 4:
        return ""
    for name, value in _tensors(case["call"]["arguments"]):
        if value.shape == right.shape and value.is_floating_point():
            if _equal(right + value, found, 10 * tolerance):
                return f" What is too much is `{name}`: it was added."
            if _equal(right - value, found, 10 * tolerance):
                return f" What is missing is `{name}`: it was not added, or subtracted."
    return ""


def _tensors(arguments: list) -> Iterator[tuple[str, torch.Tensor]]:
    for name, value in arguments:
        if isinstance(value, torch.Tensor):
            yield name, value
        elif isinstance(value, tuple | list):
            yield from _tensors([(f"{name}[{i}]", item) for i, item in enumerate(value)])


def _sizes_explained(case: dict, found: Any) -> str:
    """Of a tensor of the wrong shape: what the sizes are that stand where others belong."""
    expected = case["expected"]["value"]
    if not isinstance(expected, torch.Tensor) or not isinstance(found, torch.Tensor):
        return ""
    if expected.dim() != found.dim():
        return ""
    both = zip(expected.shape, found.shape, strict=True)
    return _whence({size for pair in both if pair[0] != pair[1] for size in pair}, case)


def _whence(sizes: set[int], case: dict) -> str:
    """Say which arguments have these sizes; a size that could be from anywhere is left out."""
    places: dict[int, list[str]] = {size: [] for size in sorted(sizes - {0, 1})}

    for name, value in case["call"]["arguments"]:
        if type(value) is int and value in places:
            places[value].append(f"`{name}`")
    for name, value in _tensors(case["call"]["arguments"]):
        for axis, size in enumerate(value.shape):
            if size in places:
                places[size].append(f"axis {axis} of `{name}`")
    told = [f"{size} is {' and '.join(of)}" for size, of in places.items() if 0 < len(of) < 4]
    return f" Sizes of the arguments: {'; '.join(told)}." if told else ""


def _gradient_problem(expected: Outcome, outcome: Outcome, tolerance: float) -> str | None:
    if expected.get("gradients") is None:
        return None
    if outcome["gradients"] is None:
        return "The gradient could not be taken."
    for name, gradient in expected["gradients"].items():
        if gradient is None:
            continue
        found = outcome["gradients"].get(name)
        if found is None:
            return f"The values are right, but no gradient reaches `{name}`."
        problem = difference(gradient, found, 10 * tolerance)
        if problem:
            return f"The values are right, but not the gradient for `{name}`: {problem}"
    return None


def _case_verdict(case: dict, outcome: Outcome, problem: str | None) -> CaseVerdict:
    arguments = case["call"]["arguments"]
    inputs = ", ".join(f"{name} {describe(value)}" for name, value in arguments)
    expected = describe(case["expected"]["value"]) if "expected" in case else case["wanted"]
    found = describe(outcome["value"]) if outcome["status"] == "value" else outcome["status"]
    return CaseVerdict(case["title"], case["part"], inputs, expected, found, problem)


def _points(exercise: dict, cases: list[CaseVerdict]) -> tuple[float, float]:
    """Add the points of the parts whose cases are all right; without the core, none count."""
    earned = 0.0
    for place, part in enumerate(exercise["parts"]):
        right = all(not case.problem for case in cases if case.part == part["id"])
        if right:
            earned += part["points"]
        elif place == 0:
            break
    return earned, float(sum(part["points"] for part in exercise["parts"]))


def _name_the_obvious(verdict: Verdict, failed: list[Outcome], all_failed: bool) -> None:
    if not all_failed:
        return
    if all(outcome.get("type") == "NotImplementedError" for outcome in failed):
        verdict.status, verdict.summary = "not attempted", "Not written yet."
    elif all(outcome["status"] == "missing" for outcome in failed):
        verdict.status = "not attempted"
        verdict.summary = verdict.cases[0].problem + " Run (or restore) the cell that defines it."
    elif all(outcome["status"] == "value" and outcome["value"] is None for outcome in failed):
        verdict.explanations.append("The function returns nothing: end it with `return`.")


def agree(one: Outcome, other: Outcome, tolerance: float) -> bool:
    """Tell whether two outcomes are the same result: same numbers, same error, same side effect."""
    if one["status"] != other["status"]:
        return False
    if one["status"] == "error":
        alike = one["type"] == other["type"] and _skeleton(one) == _skeleton(other)
        return alike or ANY_ERROR in (one["type"], other["type"])
    if one["status"] != "value":
        return False
    return (
        _both_ways(one["value"], other["value"], tolerance)
        and sorted(one["changed"]) == sorted(other["changed"])
        and _both_ways(one["gradients"], other["gradients"], 10 * tolerance)
    )


ANY_ERROR = "*"  # in a prediction: the kind of error depends on how the mistake is written


def _skeleton(outcome: Outcome) -> str:
    """An error text without its numbers, but with the `names` in it; of a key its last word."""
    if outcome["type"] == "KeyError":
        return outcome["text"].strip("'").rpartition(".")[2]
    pattern = r"(`[^`]*`)|\d+(\.\d*)?(e[-+]?\d+)?|'[^']*'|…"
    return re.sub(pattern, lambda match: match[1] or "#", outcome["text"])


def _both_ways(one: Any, other: Any, tolerance: float) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):  # no sentence is needed
        return one.dtype == other.dtype and _equal(one, other, tolerance)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_both_ways(*pair, tolerance) for pair in pairs)
    if isinstance(one, dict) and isinstance(other, dict):
        return set(one) == set(other) and all(
            _both_ways(one[key], other[key], tolerance) for key in one
        )
    return not (difference(one, other, tolerance) or difference(other, one, tolerance))


def _recognise(
    exercise: dict,
    outcomes: list[Outcome],
    failed: list[int],
    predicted: Predictions,
    pairs: Callable[[], Predictions],
) -> tuple[list[str], str]:
    """Find the known mistakes that explain every outcome, or else those that explain many.

    The numbers of a few cases can agree by chance. A mistake that does not explain everything is
    named only if it explains half of what failed, or all that failed of one part, and nothing that
    is right speaks against it; or if it explains all that failed and is not made elsewhere.

    Returns:
        The mistakes, and what they explain: one of the keys of ``EXPLAINED``.
    """
    cases = exercise["cases"]

    def compare(predicted: Predictions) -> dict[str, list[bool]]:
        return {
            mistake: [
                agree(one, other, exercise["tolerance"])
                for one, other in zip(outcomes, found, strict=True)
            ]
            for mistake, found in predicted.items()
        }

    agreed = compare(predicted)
    whole = [mistake for mistake, places in agreed.items() if all(places)]
    if whole:
        return whole, "all"
    whole = [pair for pair, places in compare(pairs()).items() if all(places)]
    if whole:
        return whole[:1], "all"  # if several pairs give the same results, one is enough to tell

    parts: dict[str, list[int]] = {}
    for place in failed:
        parts.setdefault(cases[place]["part"], []).append(place)
    right = [place for place in range(len(cases)) if place not in failed]

    def told(mistake: str) -> set[int]:
        # A yes or no, a finding of a harness, or an error with other numbers in its text speaks for
        # nothing in particular.
        return {
            place
            for place, outcome in enumerate(predicted[mistake])
            if agreed[mistake][place]
            and not isinstance(outcome.get("value"), str | bool)
            and outcome.get("type") != Problem.__name__
            and outcome.get("text") == outcomes[place].get("text")
            and outcome.get("type") == outcomes[place].get("type")
        }

    def explains_much(mistake: str) -> bool:
        explained = told(mistake)
        a_part = any(explained.issuperset(group) for group in parts.values())
        much = a_part or 2 * len(explained.intersection(failed)) >= len(failed)
        return much and all(agreed[mistake][place] for place in right)

    much = [mistake for mistake in agreed if explains_much(mistake)]
    much.sort(key=lambda mistake: -len(told(mistake).intersection(failed)))
    if much:
        covered = [set().union(*map(told, much[:place])) for place in range(len(much))]
        return [m for m, so_far in zip(much, covered, strict=True) if told(m) - so_far], "some"
    there = {
        mistake: sum(agreed[mistake][place] for place in right)
        for mistake in agreed
        if len(failed) > 1 and told(mistake).issuperset(failed)
    }
    return [m for m, elsewhere in there.items() if elsewhere == max(there.values())], "there"


EXPLAINED = {
    "all": "More than one mistake would give these results:",
    "some": "Some of the results, not all, are those of a known mistake:",
    "there": "The results that are wrong are those of a known mistake, made only there:",
}


def _explain(exercise: dict, named: list[str], explained: str) -> list[str]:
    if not named:
        return []
    if AND in named[0]:
        both = [exercise["mistakes"][mistake]["message"] for mistake in named[0].split(AND)]
        return ["Two known mistakes together would give these results:", *both]
    sentences = [exercise["mistakes"][mistake]["message"] for mistake in named]
    if explained != "all" or len(sentences) > 1:
        return [EXPLAINED[explained], *sentences]
    return [f"Likely mistake: {sentences[0]}"]


def _about_a_test(exercise: dict, outcomes: list[Outcome], failed: list[int]) -> list[str]:
    """Say which versions a student's test judges wrongly, where the exercise is to write one."""

    def named(places: list[int]) -> str:
        names = [exercise["cases"][place]["title"].partition(": ")[2] for place in places]
        more = f"; and {len(names) - 6} more" if len(names) > 6 else ""
        return "; ".join(names[:6]) + more

    through = [place for place in failed if outcomes[place].get("value") == "accepted"]
    refused = [place for place in failed if outcomes[place].get("value") == "rejected"]
    right = [
        case for case in exercise["cases"] if case.get("expected", {}).get("value") == "accepted"
    ]
    core = {
        place
        for place, case in enumerate(exercise["cases"])
        if case["part"] == exercise["parts"][0]["id"]
        and case.get("expected", {}).get("value") == "rejected"
    }
    found = []
    if through:
        found.append(f"Your test lets wrong versions through: {named(through)}.")
    shown = dict.fromkeys(exercise["cases"][place].get("shown_by") for place in through)
    if through and None not in shown and len(shown) < 5:
        found.append(f"What shows them: {'; '.join(shown)}.")
    if core and core.issubset(through):
        found.append(
            "It sees nothing that is plainly wrong: are numbers compared with numbers that are "
            "certainly right, and is the comparison an `assert`?"
        )
    if refused and len(refused) == len(right):
        found.append(
            "Your test rejects every right version: is what it expects itself right, number by "
            "number?"
        )
    elif refused:
        found.append(
            f"Your test rejects right versions: {named(refused)}. What does it ask for that is not "
            "promised? Two right ways to compute a number differ in the last digits."
        )
    return found


# ---- The report --------------------------------------------------------------------------------


class Report:
    """A verdict as a person reads it, in a notebook (HTML) and in a terminal (text)."""

    def __init__(self, verdict: Verdict):
        self.verdict = verdict

    def _headline(self) -> str:
        verdict = self.verdict
        mark = {"correct": "✓", "partly": "◐", "not attempted": "…"}.get(verdict.status, "✗")
        points = f"{verdict.points:g} of {verdict.max_points:g} points"
        return f"{mark} {verdict.exercise}: {verdict.summary} ({points})"

    def _explanations(self) -> list[str]:
        return self.verdict.explanations

    def _advice(self) -> Iterator[str]:
        verdict = self.verdict
        if verdict.section and verdict.status not in ("correct", "not attempted"):
            yield f"Read again: {verdict.section}."
        if verdict.note:
            yield verdict.note

    def _cases(self) -> list[CaseVerdict]:
        return [] if self.verdict.status == "not attempted" else self.verdict.cases

    def __str__(self) -> str:
        """The report as text: a line for each case, then what the first failing one was given."""
        rows = [("", "case", "expected", "came back")]
        for case in self._cases():
            mark = "✗" if case.problem else "✓"
            rows.append((mark, case.title, case.expected, case.problem or "right"))
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = [self._headline(), *(f"  {text}" for text in self._explanations())]
        for row in rows if len(rows) > 1 else ():
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            lines.append("  " + "  ".join([*cells, row[3]]))
        failed = next((case for case in self._cases() if case.problem), None)
        if failed is not None and failed.inputs:
            lines.append(f"  “{failed.title}” was called with {failed.inputs}.")
        return "\n".join([*lines, *(f"  {text}" for text in self._advice())])

    def _repr_html_(self) -> str:
        escape = html.escape
        rows = "".join(
            "<tr>"
            f"<td style='text-align:left'>{'✗' if case.problem else '✓'} {escape(case.title)}</td>"
            f"<td style='text-align:left'>{escape(case.inputs)}</td>"
            f"<td style='text-align:left'>{escape(case.expected)}</td>"
            f"<td style='text-align:left'>{escape(case.problem or 'right')}</td></tr>"
            for case in self._cases()
        )
        head = "".join(
            f"<th style='text-align:left'>{title}</th>"
            for title in ("case", "called with", "expected", "came back")
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        above = [f"<strong>{escape(self._headline())}</strong>"]
        above += [_code_to_html(escape(text)) for text in self._explanations()]
        below = [_code_to_html(escape(text)) for text in self._advice()]
        parts = [*map("<p>{}</p>".format, above), table if rows else ""]
        return f"<div>{''.join([*parts, *map('<p>{}</p>'.format, below)])}</div>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}


def _code_to_html(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)


# ---- In a student's notebook -------------------------------------------------------------------


class CheckFailed(AssertionError):  # noqa: N818 - its name is what a student reads
    """Raised after the report, so that "Run all" and ``nbgrader validate`` stop here."""

    def _render_traceback_(self) -> list[str]:
        return [f"CheckFailed: {self}"]


def check(name: str) -> None:
    """Run the public cases of the exercise ``name`` on what the notebook defines, and report.

    Raises:
        CheckFailed: if a case is wrong.
    """
    exercises = load_cases(Path(__file__).parent / "cases.safetensors")
    if name not in exercises:
        known = ", ".join(sorted(exercises))
        raise KeyError(f"No exercise {name!r} in this assignment; its exercises are {known}.")
    exercise = exercises[name]
    namespace = vars(sys.modules["__main__"])
    outcomes = []
    for case in exercise["cases"]:  # what the function prints is shown once, not for each case
        with contextlib.redirect_stdout(io.StringIO()) if outcomes else contextlib.nullcontext():
            outcomes.append(unpack(packed_call(namespace, case["call"])))
        if outcomes[-1].get("type") == "KeyboardInterrupt":
            raise KeyboardInterrupt  # the student wants it to stop
    verdict = judge(exercise, outcomes, lambda: exercise["predictions"], lambda: exercise["pairs"])
    report = Report(verdict)
    _show(report)
    if report.verdict.status != "correct":
        raise CheckFailed(f"{name}: {report.verdict.summary} The report above says what to do.")


def load_cases(path: Path) -> dict[str, dict[str, Any]]:
    """Read a released case file: exercise identifier to what :func:`judge` needs."""
    exercises = unpack(path.read_bytes())
    beside = {}
    for name in ("validators", "harnesses"):
        file = path.parent / f"{name}.py"
        if file.exists():
            spec = importlib.util.spec_from_file_location(name, file)
            beside[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(beside[name])
    for exercise in exercises.values():
        for kind in ("predictions", "pairs"):
            for name, numbers in exercise[kind].items():
                exercise[kind][name] = [exercise["outcomes"][n] for n in numbers.tolist()]
        for case in exercise["cases"]:
            if "validator" in case:
                case["validator"] = getattr(beside["validators"], case["validator"])
            harness = case["call"].get("harness")
            if harness:
                case["call"]["harness"] = globals().get(harness) or getattr(
                    beside["harnesses"], harness
                )
    return exercises


def _show(report: Report) -> None:
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        print(report)
        return
    if get_ipython() is None:
        print(report)
    else:
        display(report)
