"""Merges by the rank of what two pieces make, as tiktoken does it."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
