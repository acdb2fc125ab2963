"""Exercise 4, a bug hunt: early stopping that forgets."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
