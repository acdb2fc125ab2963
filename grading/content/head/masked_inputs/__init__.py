"""Exercise 5: questions for a masked language model, 80, 10 and 10 per cent."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
