"""Move these weights: a LayerNorm that disappears into the layers before and after it."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
