"""A router that balances without a loss: the bias of DeepSeek-V3, which counts for the choice."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
