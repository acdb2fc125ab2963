"""Bug hunt: a loss of the next token that is shifted the wrong way, and three bugs more."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
