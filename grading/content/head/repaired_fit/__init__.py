"""Exercise 4, a bug hunt: early stopping that forgets."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
