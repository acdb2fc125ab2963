"""Assignment 2, multi-head attention: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.

Batch, tokens, heads and head size are pairwise different, unless a case is there because two of
them are equal; weights and biases are drawn anew, so large that the scores have a standard
deviation of about 1.5. `hidden` is heads · head size in most cases: a square matrix that is used
the wrong way round raises no error, it gives other numbers.
"""

from grading.content.multi_head import (
    cross_attention,
    flax_to_torch,
    packed_attention,
    repaired_heads,
    test_multi_head,
)

ASSIGNMENT = "02_multi_head"
EXERCISES = [
    packed_attention.EXERCISE,
    flax_to_torch.EXERCISE,
    cross_attention.EXERCISE,
    repaired_heads.EXERCISE,
    test_multi_head.EXERCISE,
]
