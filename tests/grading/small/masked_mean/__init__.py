"""The mean of the tokens that are no padding: the smallest exercise there is."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
