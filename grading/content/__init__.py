"""The exercises of each chapter: reference, cases, correct alternatives and known mistakes.

A folder for each assignment, and in it a folder for each exercise: ``question.py`` says what is
asked, ``mistakes.py`` is the bank of what is known to go wrong. The assignment's ``__init__`` lists
its exercises in their order. Beside them stand the sections of the chapter that they send a student
back to, and the harnesses (code that calls what a student wrote, and is released); where exercises
have variants, the module ``variants`` says in what they differ. Nothing here knows how a submission
is run.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import pkgutil
from types import ModuleType

from grading.exercise import Exercise, Mistake
from grading.exercise.variants import Variant, varied


def assignments() -> dict[str, list[Exercise]]:
    """Map each assignment's name, such as ``01_simple_attention``, to its exercises."""
    modules = (importlib.import_module(f"{__name__}.{chapter}") for chapter in _chapters())
    return dict(sorted((module.ASSIGNMENT, module.EXERCISES) for module in modules))


def exercises_of(assignment: str, variant: int = 0) -> list[Exercise]:
    """Return the exercises of an assignment, named with or without its number.

    Those of another ``variant`` than 0, where they have that many; the others are what they are.

    Raises:
        LookupError: if there is no such assignment; the sentence lists those there are.
    """
    exercises: list[Exercise] = _module(assignment).EXERCISES
    return _varied(full_name(assignment), variant) if variant else exercises


def variants_of(assignment: str) -> dict[str, tuple[Variant, ...]]:
    """Return the variants of an assignment's exercises, beside those that are described.

    Raises:
        LookupError: as :func:`exercises_of`.
    """
    name = f"{_module(assignment).__name__}.variants"
    if importlib.util.find_spec(name) is None:
        return {}
    found: dict[str, tuple[Variant, ...]] = importlib.import_module(name).VARIANTS
    return found


def variant_count(assignment: str) -> int:
    """How many variants of an assignment there are; 1 if all get the same.

    Raises:
        LookupError: as :func:`exercises_of`.
    """
    return 1 + max(map(len, variants_of(assignment).values()), default=0)


def chosen(assignment: str, exercise: str, variant: int) -> Variant | None:
    """In what an exercise differs from its description; nothing if it does not."""
    of = variants_of(assignment).get(exercise, ())
    return of[variant - 1] if 0 < variant <= len(of) else None


@functools.cache
def _varied(assignment: str, variant: int) -> list[Exercise]:
    found = []
    for exercise in _module(assignment).EXERCISES:
        differs = chosen(assignment, exercise.id, variant)
        found.append(varied(exercise, differs, variant) if differs else exercise)
    return found


def mistakes_of(assignment: str) -> dict[tuple[str, str], Mistake]:
    """All known mistakes by exercise and name, those of variants behind the others.

    Raises:
        LookupError: as :func:`exercises_of`.
    """
    found: dict[tuple[str, str], Mistake] = {}
    for variant in range(variant_count(assignment)):
        for exercise in exercises_of(assignment, variant):
            for mistake in exercise.mistakes:
                found.setdefault((exercise.id, mistake.id), mistake)
    return found


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
