"""Layer normalisation over several axes."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
