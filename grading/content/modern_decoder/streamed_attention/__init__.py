"""Keys that come by once: attention over a stream of blocks, with an online softmax."""

from grading.exercise import Exercise

from . import mistakes, question

EXERCISE = Exercise.of(question, mistakes)
