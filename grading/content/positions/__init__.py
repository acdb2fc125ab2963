"""Assignment 5, positions: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.
"""

from grading.content.positions import (
    alibi_mask,
    next_position_ids,
    partial_rotary,
    repaired_positions,
    to_interleaved,
)

ASSIGNMENT = "05_positions"
EXERCISES = [
    repaired_positions.EXERCISE,
    partial_rotary.EXERCISE,
    to_interleaved.EXERCISE,
    alibi_mask.EXERCISE,
    next_position_ids.EXERCISE,
]
