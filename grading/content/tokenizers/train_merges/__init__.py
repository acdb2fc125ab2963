"""Byte-pair encoding trained on counted words, with a rule for ties and two limits."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
