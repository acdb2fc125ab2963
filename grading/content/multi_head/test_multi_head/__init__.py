"""Exercise 5: a test of multi-head attention that catches the wrong versions."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
