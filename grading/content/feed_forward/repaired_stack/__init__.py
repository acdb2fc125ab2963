"""Exercise 4 of assignment 3: a stack of feed-forward layers with four bugs, to be repaired."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
