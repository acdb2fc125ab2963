"""Assignment 5, positions: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.

Position ids are gapped and differ from row to row, so that counting 0, 1, 2, … shows. Two exercises
compare to 1e-4 instead of 1e-5: an angle of 500 radians has only so many digits in float32, and
every correct way to compute it rounds elsewhere.
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
