"""Exercise 3: embeddings with a small table and a projection; positions skip padding."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
