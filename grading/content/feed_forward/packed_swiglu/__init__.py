"""Exercise 2 of assignment 3: SwiGLU whose gate and up rows stand in one matrix, in two layouts."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
