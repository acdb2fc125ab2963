"""Exercise 4: a ridge regression as a probe, and the same probe for labels drawn by word type."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
