"""Exercise 1: multi-head attention from packed weights, with masks of every form."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
