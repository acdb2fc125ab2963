"""Exercise 1: an induction score for any text, and what an even head would score."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
