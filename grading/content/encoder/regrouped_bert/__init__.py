"""Exercise 2: the weights of a BERT, renamed and packed head by head for another encoder."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
