"""Exercise 5: a test of multi-head attention that catches the wrong versions."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
