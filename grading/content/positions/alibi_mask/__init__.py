"""Exercise 4 of assignment 5: ALiBi as an additive mask, where the queries are the last keys."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
