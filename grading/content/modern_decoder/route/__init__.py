"""A router that balances without a loss: the bias of DeepSeek-V3, which counts for the choice."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
