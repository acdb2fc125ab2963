"""Exercise 2 of assignment 3: SwiGLU whose gate and up rows stand in one matrix, in two layouts."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
