"""The exercises of each chapter: reference, cases, correct alternatives and known mistakes.

One module per chapter, each with ``EXERCISES``, a list of :class:`grading.exercise.Exercise` in
the order of the assignment. Nothing here knows how a submission is run.
"""

from __future__ import annotations

import importlib
import pkgutil

from grading.exercise import Exercise


def assignments() -> dict[str, list[Exercise]]:
    """Map each assignment's name, such as ``01_simple_attention``, to its exercises."""
    found = {}
    for module_info in pkgutil.iter_modules(__path__):
        if not module_info.name.endswith("_judges"):
            module = importlib.import_module(f"{__name__}.{module_info.name}")
            found[module.ASSIGNMENT] = module.EXERCISES
    return dict(sorted(found.items()))


def exercises_of(assignment: str) -> list[Exercise]:
    """Return the exercises of an assignment, named with or without its number.

    Raises:
        LookupError: if there is no such assignment; the sentence lists those there are.
    """
    known = assignments()
    for name, exercises in known.items():
        if assignment in (name, name.partition("_")[2]):
            return exercises
    raise LookupError(f"No assignment {assignment!r}; there are {', '.join(known)}.")
