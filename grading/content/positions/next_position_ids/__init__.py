"""Exercise 5 of assignment 5: the positions of new tokens, read from the mask of all tokens."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
