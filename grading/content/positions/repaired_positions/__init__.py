"""Exercise 1 of assignment 5: sinusoidal positions with five bugs, to be repaired."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
