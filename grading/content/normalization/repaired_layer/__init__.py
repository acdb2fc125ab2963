"""Bug hunt: an encoder layer that should equal PyTorch's, in post-norm and in pre-norm."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
