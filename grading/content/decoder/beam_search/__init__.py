"""Several roads at once: a search that keeps the best beginnings of a text."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
