"""Exercise 5: questions for a masked language model, 80, 10 and 10 per cent."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
