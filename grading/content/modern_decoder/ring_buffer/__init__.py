"""A ring that never changes its shape: the buffer as it is, and the mask that makes it right."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
