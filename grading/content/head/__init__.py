"""Assignment 7, the head: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.
"""

from grading.content.head import (
    accumulated_loss,
    averaged_scores,
    masked_inputs,
    pooled,
    repaired_fit,
)

ASSIGNMENT = "07_head"
EXERCISES = [
    pooled.EXERCISE,
    accumulated_loss.EXERCISE,
    averaged_scores.EXERCISE,
    repaired_fit.EXERCISE,
    masked_inputs.EXERCISE,
]
