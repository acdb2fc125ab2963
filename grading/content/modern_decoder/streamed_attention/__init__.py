"""Keys that come by once: attention over a stream of blocks, with an online softmax."""

from grading.content.folder import exercise_of

from . import mistakes, question

EXERCISE = exercise_of(question, mistakes)
