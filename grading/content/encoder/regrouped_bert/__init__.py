"""Exercise 2: the weights of a BERT, renamed and packed head by head for another encoder."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
