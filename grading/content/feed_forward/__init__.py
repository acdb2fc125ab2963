"""Assignment 3, feed-forward: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.
"""

from grading.content.feed_forward import (
    move_weights,
    named_feed_forward,
    packed_swiglu,
    repaired_stack,
    test_feed_forward,
)

ASSIGNMENT = "03_feed_forward"
EXERCISES = [
    named_feed_forward.EXERCISE,
    packed_swiglu.EXERCISE,
    move_weights.EXERCISE,
    repaired_stack.EXERCISE,
    test_feed_forward.EXERCISE,
]
