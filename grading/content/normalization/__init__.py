"""Assignment 4, normalisation and residual layers: the exercises that are graded by running them.

One more, a written answer, is graded by hand with the rubric in the notebook.
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
