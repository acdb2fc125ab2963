"""Exercise 1: one vector for a text, which padding cannot disturb."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
