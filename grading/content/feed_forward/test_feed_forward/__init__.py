"""Exercise 5 of assignment 3: a test that finds wrong implementations of the feed-forward layer."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
