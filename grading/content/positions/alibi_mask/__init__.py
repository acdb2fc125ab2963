"""Exercise 4 of assignment 5: ALiBi as an additive mask, where the queries are the last keys."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
