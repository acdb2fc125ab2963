"""Exercise 5: a small input on which five wrong versions of attention show."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
