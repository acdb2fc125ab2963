"""Exercise 4, a bug hunt: a stack of PyTorch's encoder layers with five bugs."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
