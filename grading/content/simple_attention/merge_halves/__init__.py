"""Exercise 3: attention over all keys, merged from two halves that saw different keys."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
