"""One mask for everything: causality, padding, a cache and a window in one tensor of booleans."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
