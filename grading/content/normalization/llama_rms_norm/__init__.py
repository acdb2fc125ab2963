"""RMSNorm in half precision, rounded where Llama rounds."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
