"""Assignment 6, the encoder: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.

Numbers of layers, heads and tokens differ from each other; weights, biases, gains and eps are drawn
so that each of them shows. Encoders are tiny, but every size is another one.
"""

from grading.content.encoder import (
    additive_mask,
    compact_embeddings,
    regrouped_bert,
    repaired_encoder,
    test_encoder,
)

ASSIGNMENT = "06_encoder"
EXERCISES = [
    additive_mask.EXERCISE,
    regrouped_bert.EXERCISE,
    compact_embeddings.EXERCISE,
    repaired_encoder.EXERCISE,
    test_encoder.EXERCISE,
]
