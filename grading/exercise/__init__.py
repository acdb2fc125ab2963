"""What an exercise is, whatever it asks.

``description`` names its parts, and draws its cases from a seed; ``edits`` makes a wrong program of
the right one; ``variants`` gives some of the students other bugs, names or orders. The modules in
:mod:`grading.content` describe exercises with what stands here, and all rooms above use them.
"""

from grading.exercise.description import (
    PUBLIC_SEED,
    Bugs,
    Case,
    DrawnExercise,
    Exercise,
    Mistake,
    Mutation,
    Part,
    Question,
    hidden_seed,
    judge_of,
    still_there,
)

__all__ = [
    "PUBLIC_SEED",
    "Bugs",
    "Case",
    "DrawnExercise",
    "Exercise",
    "Mistake",
    "Mutation",
    "Part",
    "Question",
    "hidden_seed",
    "judge_of",
    "still_there",
]
