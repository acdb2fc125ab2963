"""A layer that remembers: attention whose keys and values are kept for the tokens to come."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
