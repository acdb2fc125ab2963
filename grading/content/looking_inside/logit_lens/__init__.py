"""Exercise 2: the logit lens on states of which only the last is normed."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
