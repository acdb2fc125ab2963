"""Exercise 5: a test that accepts right encoders and rejects wrong ones."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
