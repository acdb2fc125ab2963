"""Assignment 11, looking inside: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.
"""

from grading.content.looking_inside import (
    induction_score,
    logit_lens,
    patched_output,
    probe_with_control,
    supported_claims,
)

ASSIGNMENT = "11_looking_inside"
EXERCISES = [
    induction_score.EXERCISE,
    logit_lens.EXERCISE,
    patched_output.EXERCISE,
    probe_with_control.EXERCISE,
    supported_claims.EXERCISE,
]
