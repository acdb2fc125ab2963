"""Exercise 5: which of five claims a table of measurements and controls supports."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
