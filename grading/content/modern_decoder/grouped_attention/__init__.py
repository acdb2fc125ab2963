"""Grouped heads, tokens first: attention as FlashAttention's function has it."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
