"""Exercise 1: the mask of a padded batch, as numbers that are added to the scores."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
