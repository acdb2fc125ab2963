"""Exercise 4 of assignment 3: a stack of feed-forward layers with four bugs, to be repaired."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
