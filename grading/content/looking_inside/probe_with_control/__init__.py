"""Exercise 4: a ridge regression as a probe, and the same probe for labels drawn by word type."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
