"""Exercise 2: the logit lens on states of which only the last is normed."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
