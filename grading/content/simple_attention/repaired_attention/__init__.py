"""Exercise 4, a bug hunt: a call of PyTorch's attention with three bugs."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
