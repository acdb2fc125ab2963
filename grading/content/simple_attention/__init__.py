"""Assignment 1, simple attention: five exercises that are graded by running them.

Sizes in a case differ from each other, so that a wrong axis or a wrong scale shows.
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
