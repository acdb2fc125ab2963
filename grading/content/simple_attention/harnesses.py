"""Harnesses of assignment 1: what is called in the place of one call. Released with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grading.check import digest


def called_twice(function: Callable[[], Any]) -> Any:
    """What a function without arguments gives, or a text that says that two calls differ."""
    first, second = function(), function()
    return first if digest(first) == digest(second) else "another input"
