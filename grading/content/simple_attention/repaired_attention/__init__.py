"""Exercise 4, a bug hunt: a call of PyTorch's attention with three bugs."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
