"""Exercise 5: a test that accepts right encoders and rejects wrong ones."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
