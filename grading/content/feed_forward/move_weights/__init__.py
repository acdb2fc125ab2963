"""Exercise 3 of assignment 3: the weights of one layer, moved between three layouts."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
