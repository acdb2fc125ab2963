"""Bug hunt: a WordPiece that runs, with four bugs."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
