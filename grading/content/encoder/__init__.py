"""Assignment 6, the encoder: five exercises that are graded by running them.

Encoders are tiny, but every size is another one; weights, biases, gains and eps are drawn to show.
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
