"""Assignment 2, multi-head attention: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.
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
