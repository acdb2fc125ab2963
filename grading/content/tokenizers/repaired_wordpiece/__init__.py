"""Bug hunt: a WordPiece that runs, with four bugs."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
