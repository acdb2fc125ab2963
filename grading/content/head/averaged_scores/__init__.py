"""Exercise 3: precision, recall and F1, averaged over the classes that matter."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
