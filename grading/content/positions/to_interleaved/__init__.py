"""Exercise 3 of assignment 5: weights for half-split positions made ready for interleaved ones."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
