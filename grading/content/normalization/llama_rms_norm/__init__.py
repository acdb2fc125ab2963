"""RMSNorm in half precision, rounded where Llama rounds."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
