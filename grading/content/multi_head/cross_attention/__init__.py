"""Exercise 3: a module of heads that look at the tokens of another text."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
