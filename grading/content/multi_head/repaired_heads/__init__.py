"""Exercise 4, a bug hunt: multi-head attention with three bugs in nine lines."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
