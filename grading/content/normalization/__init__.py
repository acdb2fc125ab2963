"""Assignment 4, normalisation and residual layers: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.

Gains are never near 1 and biases never near 0, so that a forgotten one shows. In the cases that are
not about eps the numbers are so large that no usual eps can be seen; in those that are, it is 0.1
against variances of the same size. Numbers in half precision are drawn so that no result lies near
the border between two neighbours, where two right ways to compute could round differently.
"""

from grading.content.normalization import (
    fold_norm,
    llama_rms_norm,
    repaired_layer,
    residual_stack,
    shaped_layer_norm,
)

ASSIGNMENT = "04_normalization"
EXERCISES = [
    shaped_layer_norm.EXERCISE,
    llama_rms_norm.EXERCISE,
    residual_stack.EXERCISE,
    repaired_layer.EXERCISE,
    fold_norm.EXERCISE,
]
