"""Byte-pair encoding trained on counted words, with a rule for ties and two limits."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
