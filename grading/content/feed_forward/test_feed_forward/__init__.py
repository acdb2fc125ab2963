"""Exercise 5 of assignment 3: a test that finds wrong implementations of the feed-forward layer."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
