"""Bug hunt: an encoder layer that should equal PyTorch's, in post-norm and in pre-norm."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
