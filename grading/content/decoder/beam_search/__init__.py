"""Several roads at once: a search that keeps the best beginnings of a text."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
