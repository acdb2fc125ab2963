"""Exercise 4, a bug hunt: multi-head attention with three bugs in nine lines."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
