"""From logits to a draw: temperature, top-k and top-p."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
