"""One stack of residual layers, whose norms stand in one of three placements."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
