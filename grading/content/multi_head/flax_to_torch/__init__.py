"""Exercise 2: the weights of Flax's attention in the layout of PyTorch's."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
