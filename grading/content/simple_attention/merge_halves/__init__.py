"""Exercise 3: attention over all keys, merged from two halves that saw different keys."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
