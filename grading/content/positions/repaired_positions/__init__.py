"""Exercise 1 of assignment 5: sinusoidal positions with five bugs, to be repaired."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
