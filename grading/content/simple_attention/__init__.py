"""Assignment 1, simple attention: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.

Sizes in a case are pairwise different and scores have a standard deviation of 1 to 3, so that a
wrong axis or a wrong scale shows. Where scores are huge they are whole numbers and d_k is 16, so
that every correct way to compute them gives the same float32 numbers.
"""

from grading.content.simple_attention import (
    merge_halves,
    padded_heads,
    repaired_attention,
    telling_input,
    weights_time_first,
)

ASSIGNMENT = "01_simple_attention"
EXERCISES = [
    weights_time_first.EXERCISE,
    padded_heads.EXERCISE,
    merge_halves.EXERCISE,
    repaired_attention.EXERCISE,
    telling_input.EXERCISE,
]
