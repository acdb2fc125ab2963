"""Exercise 3: activation patching that leaves no trace."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
