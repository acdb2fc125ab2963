"""Exercise 1 of assignment 3: the feed-forward layer as one function of a checkpoint and a name."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
