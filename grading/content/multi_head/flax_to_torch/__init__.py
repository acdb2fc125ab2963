"""Exercise 2: the weights of Flax's attention in the layout of PyTorch's."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
