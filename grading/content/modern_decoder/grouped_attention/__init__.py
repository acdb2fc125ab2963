"""Grouped heads, tokens first: attention as FlashAttention's function has it."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
