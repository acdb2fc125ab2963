"""Exercise 2: attention of many heads in which padding gets no weight."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
