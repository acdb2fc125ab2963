"""A ring that never changes its shape: the buffer as it is, and the mask that makes it right."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
