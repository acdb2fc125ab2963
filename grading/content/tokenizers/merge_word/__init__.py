"""Merges by the rank of what two pieces make, as tiktoken does it."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
