"""What several exercises of assignment 11 draw and look up."""

from __future__ import annotations

import functools

from grading.check import OTHER_FORM
from grading.content import drawing
from grading.exercise import Exercise, Mutation

normal = functools.partial(drawing.normal, size=1.3)


def mutation_of(exercise: Exercise, name: str) -> Mutation:
    """Return how a mistake is made, or, as in ``all_queries~1``, its first other form."""
    identifier, _, form = name.partition(OTHER_FORM)
    mistake = next(mistake for mistake in exercise.mistakes if mistake.id == identifier)
    return (mistake.mutation, *mistake.other_forms)[int(form or 0)]
