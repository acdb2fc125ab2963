"""The exercises of each chapter: reference, cases, correct alternatives and known mistakes.

A folder for each assignment, and in it a file for each exercise; its ``__init__`` lists them in the
order of the assignment. Beside the exercises stand the sections of the chapter that they send a
student back to, and the harnesses (code that calls what a student wrote, and is released). Nothing
here knows how a submission is run.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from grading.exercise import Exercise


def assignments() -> dict[str, list[Exercise]]:
    """Map each assignment's name, such as ``01_simple_attention``, to its exercises."""
    modules = (importlib.import_module(f"{__name__}.{chapter}") for chapter in _chapters())
    return dict(sorted((module.ASSIGNMENT, module.EXERCISES) for module in modules))


def exercises_of(assignment: str) -> list[Exercise]:
    """Return the exercises of an assignment, named with or without its number.

    Raises:
        LookupError: if there is no such assignment; the sentence lists those there are.
    """
    exercises: list[Exercise] = _module(assignment).EXERCISES
    return exercises


def full_name(assignment: str) -> str:
    """Return an assignment's name with its number.

    Raises:
        LookupError: as :func:`exercises_of`.
    """
    name: str = _module(assignment).ASSIGNMENT
    return name


def _module(assignment: str) -> ModuleType:
    chapter = assignment.lstrip("0123456789").removeprefix("_")
    if chapter in _chapters():  # the others need not be loaded
        module = importlib.import_module(f"{__name__}.{chapter}")
        if assignment in (chapter, module.ASSIGNMENT):
            return module
    raise LookupError(f"No assignment {assignment!r}; there are {', '.join(assignments())}.")


def _chapters() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(__path__) if module.ispkg]
