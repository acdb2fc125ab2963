"""Exercise 3: activation patching that leaves no trace."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
