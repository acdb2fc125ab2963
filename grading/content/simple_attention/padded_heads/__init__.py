"""Exercise 2: attention of many heads in which padding gets no weight."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
