"""Exercise 1: one vector for a text, which padding cannot disturb."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
