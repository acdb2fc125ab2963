"""Exercise 1: attention weights of sequences in the layout [tokens, batch, d_k]."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
