"""Plain values: what crosses the border between a notebook and the grader.

Tensors cross as raw numbers, the rest as JSON. Nothing is pickled, so nothing that comes back can
run code. This runs beside a student's code, and in the grader.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy  # noqa: F401 - torch and safetensors need it, but say so late
import safetensors
import safetensors.torch
import torch

MAX_BYTES = 32_000_000  # of all tensors of a value
MAX_AXES = 32  # of a tensor; NumPy knows no more than 64, and an answer has no more than five
MAX_WHOLE = 2**100  # of a whole number, which Python does not bound
MAX_SENTENCE = 600  # letters of what a harness says
PLAIN_DTYPES = {
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
    torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128,
}  # fmt: skip


_as_json = json.JSONEncoder(separators=(",", ":")).encode  # `json.dumps` would make it anew


class UnpackError(ValueError):
    """Bytes that hold no plain value."""


@dataclass(frozen=True)
class Opaque:
    """Stands for a value that is no plain data (a module, an array, a generator)."""

    type: str


class Tensors(dict[str, torch.Tensor]):
    """The tensors of a value by their names, each once, and how many bytes they have together."""

    nbytes = 0

    def __init__(self) -> None:
        super().__init__()
        self._named: dict[int, tuple[torch.Tensor, str]] = {}

    def add(self, tensor: torch.Tensor) -> str:
        """Add a copy of a tensor under the name that is returned.

        A tensor that stands in a value many times is read once.
        """
        if id(tensor) not in self._named:
            # `contiguous` keeps odd strides of axes of size 1, and then its bytes cannot be read
            plain = tensor.detach().to("cpu").as_subclass(torch.Tensor)
            plain = plain.clone(memory_format=torch.contiguous_format)
            name = fingerprint(plain)
            self._named[id(tensor)] = tensor, name  # kept, so that no other gets its id
            if name not in self:
                self[name] = plain
                self.nbytes += plain.nbytes
        return self._named[id(tensor)][1]


def pack(value: Any) -> bytes:
    """Write nested tuples, lists, dictionaries, numbers, strings and tensors as safetensors."""
    tensors = Tensors()
    tree = to_tree(value, tensors)
    return safetensors.torch.save(tensors, {"tree": _as_json(tree)})


def unpack(data: bytes, max_header: int = 2**40, own: bool = False) -> Any:
    """Read what :func:`pack` wrote.

    Args:
        data: may come from hostile code.
        max_header: bytes of all but the numbers of tensors, which take much more room once read.
        own: the grader wrote it: names in dictionaries are as they were, however long.

    Raises:
        UnpackError: if ``data`` is anything else, or has a longer header.
    """
    try:
        length = int.from_bytes(data[:8], "little")
        if length > max_header:
            raise UnpackError("These bytes hold more than a plain value needs.")
        header = json.loads(data[8 : 8 + length])
        tree = json.loads(header["__metadata__"]["tree"])
        return from_tree(tree, safetensors.torch.load(data), own)
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
    tensors = Tensors()
    return from_tree(to_tree(value, tensors), tensors)


def to_tree(value: Any, tensors: Tensors, depth: int = 0) -> Any:
    """Write a value as JSON in which each tensor is a name; add the tensors under their names."""
    if depth > 20:
        return {"other": "a deeply nested value"}
    if isinstance(value, torch.Tensor):
        return _tensor_to_tree(value, tensors)
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [to_tree(item, tensors, depth + 1) for item in list(value)[:10_000]]}
    if isinstance(value, dict):
        items = list(value.items())[:1_000]
        return {"dict": [[str(key), to_tree(item, tensors, depth + 1)] for key, item in items]}
    if isinstance(value, Opaque):
        return {"other": value.type}
    if value is None or type(value) in (bool, str):
        return {"plain": value}
    if type(value) is int and abs(value) < MAX_WHOLE:
        return {"plain": value}
    if type(value) is float:
        return {"float": repr(value)}
    return {"other": type(value).__name__}


def _tensor_to_tree(value: torch.Tensor, tensors: Tensors) -> Any:
    with torch._C.DisableTorchFunctionSubclass():
        if value.layout is not torch.strided or value.is_quantized or value.is_meta:
            return {"other": f"a {value.layout} tensor on {value.device}"}
        if value.dtype not in PLAIN_DTYPES:
            return {"other": f"a tensor of {value.dtype}"}
        if value.dim() > MAX_AXES:
            return {"other": f"a tensor of {value.dim()} axes"}
        if tensors.nbytes + value.nbytes > MAX_BYTES:
            return {"other": f"a tensor too large to be sent, {value.numel()} numbers"}
        return {"tensor": tensors.add(value)}


def fingerprint(tensor: torch.Tensor) -> str:
    """Name a tensor by its dtype, shape and numbers; equal tensors have one name."""
    shape = "x".join(map(str, tensor.shape))
    known_to_numpy = tensor.view(torch.int16) if tensor.dtype is torch.bfloat16 else tensor
    numbers = hashlib.sha256(known_to_numpy.numpy().tobytes())
    return f"{dtype_name(tensor)}-{shape}-{numbers.hexdigest()[:16]}"


def digest(value: Any) -> str:
    """One short text for a value, of which equal values have the same."""
    tree = _as_json(to_tree(value, Tensors()))
    return hashlib.sha256(tree.encode()).hexdigest()[:16]


def from_tree(tree: Any, tensors: dict[str, torch.Tensor], own: bool = False) -> Any:
    """Read what :func:`to_tree` wrote; see :func:`unpack`.

    Raises:
        UnpackError: if it names a kind of value that there is not, or holds another.
    """
    ((kind, content),) = tree.items()
    if kind == "tensor":
        tensor = tensors[content]
        if tensor.dtype not in PLAIN_DTYPES or tensor.dim() > MAX_AXES:
            raise UnpackError(f"No numbers to compute with: {tensor.dtype}, {tensor.dim()} axes.")
        return tensor
    if kind == "tuple":
        return tuple(from_tree(item, tensors, own) for item in content)
    if kind == "list":
        return [from_tree(item, tensors, own) for item in content]
    if kind == "dict":
        return {
            key if own else printable(key, 80): from_tree(item, tensors, own)
            for key, item in content
        }
    if kind == "float" and type(content) is str and len(content) < 40:
        return float(content)
    if kind == "other":
        return Opaque(printable(content, 80))
    if kind == "plain" and (content is None or type(content) in (bool, str)):
        return content
    if kind == "plain" and type(content) is int and abs(content) < MAX_WHOLE:
        return content
    raise UnpackError(f"Unknown kind of value: {kind!r}.")


def printable(text: Any, length: int = 300) -> str:
    """Shorten a text that may be hostile to a line without characters that move a cursor."""
    line = str(text).strip().partition("\n")[0][:length]
    return "".join(letter if letter.isprintable() else " " for letter in line)


def dtype_name(value: torch.Tensor) -> str:
    """Name a dtype as PyTorch does, without the module: ``float32``."""
    return str(value.dtype).removeprefix("torch.")


def describe(value: Any) -> str:
    """Name a value without its numbers: ``float32 [2, 3, 5]``, ``None``, ``a tuple of 2``."""
    if isinstance(value, torch.Tensor):
        return f"{dtype_name(value)} {list(value.shape)}"
    if isinstance(value, tuple | list):
        kind = type(value).__name__
        return f"a {kind} of {len(value)}" if value else f"an empty {kind}"
    if isinstance(value, Opaque):
        return value.type if value.type.startswith("a ") else f"a value of type {value.type}"
    if isinstance(value, dict):
        return f"a dictionary with {quoted(sorted(value)) or 'nothing in it'}"
    return shortened(value) if isinstance(value, str) else repr(value)[:MOST_LETTERS]


MOST_LETTERS = 60  # of a text that is shown


def shortened(text: str) -> str:
    """Write a text as Python does, as far as it is not too long to be read."""
    return repr(text) if len(text) < MOST_LETTERS else repr(text[:MOST_LETTERS]) + "…"


def given(value: Any, numbers: bool = False) -> str:
    """Name what is given to a call, with the shapes inside lists and dictionaries.

    Numbers in a list are counted, or shown if ``numbers``: as data they are a case's own.
    """
    if isinstance(value, tuple | list):
        plain = value and all(type(item) in (int, float, bool) for item in value)
        if plain and not numbers:
            return f"{len(value)} number{'s' * (len(value) > 1)}"
        return f"[{_some([given(item, numbers) for item in value[:MOST_GIVEN]], len(value))}]"
    if isinstance(value, dict):
        items = list(value.items())[:MOST_GIVEN]
        return f"{{{_some([f'`{_key(k)}` {given(v, numbers)}' for k, v in items], len(value))}}}"
    if isinstance(value, str) and "\n" in value and len(value) >= MOST_LETTERS:
        return f"{len(value.strip().splitlines())} lines of code"
    return describe(value)


MOST_GIVEN = 6  # of a list or a dictionary


def _key(key: Any) -> str:
    """Write the key of a dictionary, without quotes."""
    written = shortened(str(key))
    return written[1:-1] if written.endswith(written[0]) else f"{written[1:-2]}…"


def _some(items: list[str], number: int) -> str:
    more = number - len(items)
    return ", ".join([*items, f"and {more} more"] if more else items)


def quoted(names: list[str], most: int = 4) -> str:
    """Write names for a sentence: `a`, `b` and 3 more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"`{name}`" for name in names[:most]) + more
