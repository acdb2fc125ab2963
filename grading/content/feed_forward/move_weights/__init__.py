"""Exercise 3 of assignment 3: the weights of one layer, moved between three layouts."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
