"""Weights from Meta's own files: other names, neighbours that rotate, and names that are wrong."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
