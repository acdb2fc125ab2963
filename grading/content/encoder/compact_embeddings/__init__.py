"""Exercise 3: embeddings with a small table and a projection; positions skip padding."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
