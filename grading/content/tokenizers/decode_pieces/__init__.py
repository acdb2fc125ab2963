"""Back to text: pieces with byte fallback, as Llama 2 has them."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
