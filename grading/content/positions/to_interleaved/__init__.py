"""Exercise 3 of assignment 5: weights for half-split positions made ready for interleaved ones."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
