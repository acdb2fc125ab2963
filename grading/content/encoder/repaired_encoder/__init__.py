"""Exercise 4, a bug hunt: a stack of PyTorch's encoder layers with five bugs."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
