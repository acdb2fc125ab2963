"""Exercise 2 of assignment 5: rotary positions that turn a part of each head."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
