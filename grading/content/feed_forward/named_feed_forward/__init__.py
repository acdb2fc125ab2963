"""Exercise 1 of assignment 3: the feed-forward layer as one function of a checkpoint and a name."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
