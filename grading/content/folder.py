"""How an exercise's folder becomes an exercise: what its two modules say, and the defaults."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from types import ModuleType

from grading.content.defaults import default_cases, default_mistakes
from grading.exercise import Exercise, Question


def exercise_of(question: ModuleType, mistakes: ModuleType) -> Exercise:
    """Put together what an exercise's folder says.

    Args:
        question: it has a ``QUESTION``.
        mistakes: it has ``MISTAKES``; if they are needed, ``COMBINED`` and ``BROKEN``.
    """
    asked: Question = question.QUESTION
    exercise = Exercise(
        **{each.name: getattr(asked, each.name) for each in fields(asked)},
        mistakes=mistakes.MISTAKES,
        combined=getattr(mistakes, "COMBINED", ()),
        broken=getattr(mistakes, "BROKEN", ()),
        names=vars(mistakes),
    )
    if asked.draw is None:
        return exercise
    known = {mistake.id for mistake in exercise.mistakes}
    more = [mistake for mistake in default_mistakes(asked, asked.draw) if mistake.id not in known]
    return replace(
        exercise,
        cases=partial(default_cases, asked, asked.draw),
        mistakes=(*exercise.mistakes, *more),
    )
