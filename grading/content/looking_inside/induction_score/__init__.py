"""Exercise 1: an induction score for any text, and what an even head would score."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
