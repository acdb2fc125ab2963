"""Exercise 3: precision, recall and F1, averaged over the classes that matter."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
