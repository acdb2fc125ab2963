"""Weights from Meta's own files: other names, neighbours that rotate, and names that are wrong."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
