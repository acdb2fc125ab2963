"""Exercise 5 of assignment 5: the positions of new tokens, read from the mask of all tokens."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
