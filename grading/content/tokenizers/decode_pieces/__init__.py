"""Back to text: pieces with byte fallback, as Llama 2 has them."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
