"""Exercise 2 of assignment 5: rotary positions that turn a part of each head."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
