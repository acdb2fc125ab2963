"""Exercise 2: the loss of two batches as if they were one."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
