"""Exercise 1: the mask of a padded batch, as numbers that are added to the scores."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
