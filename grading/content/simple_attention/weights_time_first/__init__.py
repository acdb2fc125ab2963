"""Exercise 1: attention weights of sequences in the layout [tokens, batch, d_k]."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
