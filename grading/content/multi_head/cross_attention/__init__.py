"""Exercise 3: a module of heads that look at the tokens of another text."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
