"""Exercise 5: a small input on which five wrong versions of attention show."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
