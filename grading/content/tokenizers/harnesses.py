"""Harnesses of assignment 9: a text that must arrive letter by letter. Released with it.

They hold no answer: each uses the student's function in a certain way and gives back what it did.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def in_full(function: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Call a function that returns a text; within a list, spaces and line ends come through."""
    return [function(*arguments)]
