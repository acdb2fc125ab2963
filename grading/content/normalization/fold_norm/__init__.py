"""Move these weights: a LayerNorm that disappears into the layers before and after it."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
