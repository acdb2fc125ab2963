"""Bug hunt: a loss of the next token that is shifted the wrong way, and three bugs more."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
