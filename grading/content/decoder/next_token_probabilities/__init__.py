"""From logits to a draw: temperature, top-k and top-p."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
