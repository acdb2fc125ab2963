"""A layer that remembers: attention whose keys and values are kept for the tokens to come."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
