"""Exercise 5: which of five claims a table of measurements and controls supports."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
