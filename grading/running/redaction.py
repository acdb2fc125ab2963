"""What a report repeats of what a notebook said in a hidden case.

A notebook can put the numbers of a hidden case into the text of an error, the name of a type or the
key of a dictionary. So of such texts a report repeats the words that are ours (of the assignment,
of the check, of the usual messages of Python and PyTorch) and the numbers that are sizes of what
was given; for the rest stands “…”. On the public cases a student reads all of it. Nothing of this
decides points or which mistake is named: that is judged on the texts as they came.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import inspect
import re
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from grading import check
from grading.check import bundle
from grading.exercise import Exercise

MOST_NUMBERS = 8  # of a text
_WORD = re.compile(r"[A-Za-z_]\w*(?:'t\b|(?:\.\w+)*)|\d+(?:\.\d*)?(?:e[-+]?\d+)?")
_PARTS = re.compile(r"[A-Za-z_]\w*(?:'t\b)?")
_MESSAGES = """
    a abs abstract add addmm all allocate allocation allow allowed an and annotation any are arg
    argument arguments array as assertion assigned assignment at attribute attribute_error
    available axes axis b backward backwards batch be because been before bfloat16 bmm bool
    boolean both bounds broadcast broadcasted broadcasting but by call callable called calling can
    can't cannot cast cat cell class code comparison convert converted could cpu cuda data
    deepcopy detach dict dictionary did didn't dim dimension dimensional dimensions dims divide
    division does doesn't don't done dot double dtype dtypes duplicate each einsum either element
    elements embedding empty enclosing equal error exceeded except existing expand expanded
    expected expects explicitly expression factor factors first float float16 float32 float64 for
    forward found from full function functional gather generator get given got grad grad_fn
    gradient gradients graph greater half has have head heads hidden implementation implemented
    implicitly in incompatible index indexed indexing indices inf initialize inplace input inputs
    instance instances instead int int32 int64 integer integers internal into invalid is isn't
    item items iter iterable iteration its keep key keys keyword kind kwargs last layer_norm leaf
    least len length less like list list_iterator local long map mask masked_fill mat mat1 mat2
    match math matmul matrices matrix max maximum maybe mean memory method min mismatch missing
    modified modifying module more multiplied multiply must name named names nan ndim need
    negative nested new no non None nonetype not number numbers numel object of on one only op
    operand operands operation operations or order other out output outputs overflow own pad
    parameter parameters permute positional positive promotion property provided python query
    range rank recursion referenced removed repeat require required requires reshape result return
    returned returns row rows same saved scalar scalars scatter second sequence set setting shape
    shapes should singleton size sizes slice softmax source split square stack step stop storage
    str stride strides string structure sub subscript subscriptable subscripted subspans sum
    support supported t takes tensor tensors than that the through time to token tokens too torch
    transpose trying tuple two type types unbind unexpected unflatten unhashable unknown unpack
    unsigned unsqueeze unsupported use used using val value values variable variables vector
    version view was way weight weights were when where which while width with without won't would
    you zero zeros zip
"""


def shown(exercise: Exercise, cells: Iterable[str] = ()) -> check.Shown:
    """Return what makes of an outcome the one that a report may tell of.

    ``cells``: the notebook's own code, whose lines may be told as the place of an error.
    """
    own = _Lines(cells)
    folder = exercise.reference.__module__.rpartition(".")[0]
    known = _vocabulary(folder, f"{exercise.id} {exercise.signature} {exercise.source}")

    def tellable(case: check.Case, outcome: check.CallResult) -> check.CallResult:
        told = outcome.copy()
        names = set(_texts([case["call"]["arguments"], case.get("expected", {}).get("value")]))
        texts = _Texts(known | set(_words(names)), names, _sizes(case))
        if "text" in outcome and outcome["status"] in check.RAISED:
            told["text"] = texts.told(outcome["text"])
        if "type" in outcome:
            told["type"] = _kind(outcome["type"]) or "an error of its own kind"
        if "where" in outcome:
            told["where"] = own.told(outcome["where"])
        if outcome.get("found") is not None:
            told["found"] = _kind(str(outcome["found"])) or "value"
        if "value" in outcome:
            told["value"] = texts.told_value(outcome["value"])
        return told

    return tellable


class _Lines:
    """The lines of a notebook. A kernel says where an error was; it is told if it can be true."""

    def __init__(self, cells: Iterable[str]):
        self._numbers: dict[str, set[int]] = {}
        self._functions: set[str] = {"<module>", "<lambda>"}
        for cell in cells:  # counted as IPython does, without empty lines in front
            for number, line in enumerate(re.sub(r"\A\s*\n", "", cell).splitlines(), start=1):
                self._numbers.setdefault(check.printable(line, 200), set()).add(number)
            self._functions.update(re.findall(r"\bdef\s+(\w+)", cell))

    def told(self, where: list[list[Any]]) -> list[list[Any]]:
        """The lines that stand in the notebook under these numbers."""
        return [
            [number, name if name in self._functions else "", text]
            for number, name, text in where
            if number in self._numbers.get(text, ())
        ]


class _Texts:
    """What is repeated in one case: the words, the names that hold more than words, the sizes."""

    def __init__(self, words: set[str], names: set[str], sizes: set[int]):
        self._words, self._names, self._sizes = words, names, sizes

    def told(self, text: str) -> str:
        """A text without what is not to be repeated."""
        left = MOST_NUMBERS

        def replaced(match: re.Match[str]) -> str:
            nonlocal left
            word = match[0]
            if word[0].isdigit():
                left -= 1
                known = word.isdigit() and len(word) < 10 and int(word) in self._sizes
                return word if known and left >= 0 else "…"
            return word if self._is_known(word) else "…"

        return _WORD.sub(replaced, text)

    def _is_known(self, word: str) -> bool:
        parts = word.split(".")
        numbers = [part for part in parts if part.isdigit()]  # as in `layers.2.weight`
        if len(numbers) > 2 or any(len(number) > 2 for number in numbers):
            return word in self._names
        return word in self._names or all(
            part in self._words or part.lower() in self._words or part.isdigit() for part in parts
        )

    def told_value(self, value: Any) -> Any:
        """A value whose texts, keys and names of types are without what is not to be repeated."""
        if isinstance(value, str):  # a text of the case tells nothing, digits included
            return value if value in self._names else self.told(value)
        if isinstance(value, dict):
            return {self.told(key): self.told_value(item) for key, item in value.items()}
        if isinstance(value, tuple | list):
            return type(value)(self.told_value(item) for item in value)
        if isinstance(value, check.Opaque):
            ours = value.type.startswith("a ")  # written by what sends values
            known = self.told(value.type) if ours else _kind(value.type)
            return check.Opaque(known or "a value of a type of its own")
        return value


def _kind(name: str) -> str:
    """The name of a type, if it is one of Python's, NumPy's or PyTorch's."""
    places = (builtins, torch, torch.nn, torch.linalg)
    usual = {"ndarray", "generator", "function", "method", "module", "NoneType", "device", "dtype"}
    found = any(isinstance(getattr(place, name, None), type) for place in places)
    return name if found or name in usual | {"ellipsis", "dict_values", "dict_keys"} else ""


@functools.cache
def _vocabulary(folder: str, exercise: str) -> set[str]:
    """The words of an exercise, of what calls and judges its answers, and of usual messages."""
    modules = [*bundle.RUNS_BESIDE]
    chapter = folder.rpartition(".")[0]
    for name in ("harnesses", "judges", "validators"):
        if chapter and importlib.util.find_spec(f"{chapter}.{name}"):
            modules.append(importlib.import_module(f"{chapter}.{name}"))
    return set(_words([exercise, *map(inspect.getsource, modules), _MESSAGES]))


def _words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from _PARTS.findall(text)


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value, keys of dictionaries among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        yield from _texts(list(value.values()))
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _texts(item)


def _sizes(case: check.Case) -> set[int]:
    """The sizes that the report tells anyway, and products of two of them and of small numbers."""
    sizes = {1, 2, 3}

    def collect(value: Any) -> None:
        if isinstance(value, torch.Tensor):
            sizes.update(value.shape)
        elif type(value) is int:
            sizes.add(value)
        elif isinstance(value, dict):
            collect(list(value.values()))
        elif isinstance(value, tuple | list):
            for item in value:
                collect(item)

    collect([case["call"]["arguments"], case.get("expected", {}).get("value")])
    return {one * other for one in sizes for other in sizes} | sizes
