"""One stack of residual layers, whose norms stand in one of three placements."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
