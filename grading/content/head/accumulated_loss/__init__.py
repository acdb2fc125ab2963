"""Exercise 2: the loss of two batches as if they were one."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
