"""A wrong program as an edit of the right one: the reference's text, changed in a place or two.

This is what mutation testing does (mutmut, cosmic-ray), but a teacher chooses the places, and each
edit comes with the sentence that a student reads. Nothing here knows what an exercise is.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import itertools
import math
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Edit = tuple[str, str]  # a piece of the text, and what stands there instead
Edits = Sequence[Edit]

_IMPORTED = {"math": math, "torch": torch, "nn": nn, "F": F, "Tensor": Tensor}


class EditError(ValueError):
    """An edit whose piece of text is not there, is there twice, or lies in another edit's."""


def source_of(*definitions: Callable[..., Any]) -> str:
    """Return the text of functions and classes as it stands in their module, in this order."""
    return "\n\n".join(textwrap.dedent(inspect.getsource(one)) for one in definitions)


def edited(source: str, edits: Edits) -> str:
    """Replace each piece of ``source`` that an edit names; all edits speak of the original text.

    Raises:
        EditError: if a piece does not occur exactly once, or two pieces overlap.
    """
    places = []
    for old, new in edits:
        if source.count(old) != 1:
            raise EditError(
                f"An edit must apply exactly once; found {source.count(old)} times: {old!r}."
            )
        start = source.index(old)
        places.append((start, start + len(old), new))
    places.sort()
    for (_, end, _), (start, _, _) in itertools.pairwise(places):
        if start < end:
            raise EditError(f"Two edits change the same text, {source[start:end]!r}.")
    for start, end, new in reversed(places):
        source = source[:start] + new + source[end:]
    return source


def defined_by(
    source: str, like: Callable[..., Any], title: str, names: Mapping[str, Any] | None = None
) -> Callable[..., Any]:
    """Run ``source`` where ``like`` was defined, and return what then has its name.

    The source may use what a notebook imports before all else, and more:

    Args:
        source: definitions; that of ``like`` is among them.
        like: the original, whose module's names the source may use.
        title: what a traceback calls the source.
        names: others that it may use.
    """
    namespace = {**_IMPORTED, **(names or {}), **vars(sys.modules[like.__module__])}
    exec(_compiled(source, f"<{title}>"), namespace)
    made: Callable[..., Any] = namespace[like.__name__]
    return made


@functools.cache  # each draw of the cases asks for the same programs
def _compiled(source: str, file: str) -> CodeType:
    return compile(source, file, "exec")


def difference(source: str, edits: Edits) -> str:
    """Show what edits change, as the lines of a unified diff without its head."""
    lines = difflib.unified_diff(
        source.splitlines(), edited(source, edits).splitlines(), lineterm="", n=0
    )
    return "\n".join(line for line in list(lines)[2:] if not line.startswith("@@"))
