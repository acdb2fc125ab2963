"""Exercise 5: a test that accepts right ways to apply merges and rejects wrong ones."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
