"""One mask for everything: causality, padding, a cache and a window in one tensor of booleans."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
