"""Exercise 1: multi-head attention from packed weights, with masks of every form."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
