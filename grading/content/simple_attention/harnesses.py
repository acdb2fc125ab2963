"""Harnesses of assignment 1: what is called in the place of one call. Released with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grading.check import Finding, digest


def called_twice(function: Callable[[], Any]) -> Any:
    """Return what a function without arguments gives, if a second call gives the same.

    Raises:
        Finding: if it does not.
    """
    first, second = function(), function()
    if digest(first) != digest(second):
        raise Finding("The second call returns another input. Return the same numbers every time.")
    return first
