"""Assignment 8, the decoder: the exercises that are graded by running them.

One more, a written answer, is graded by hand with the rubric in the notebook.
"""

from grading.content.decoder import (
    beam_search,
    cached_attention,
    decoder_mask,
    next_token_probabilities,
    repaired_loss,
)

ASSIGNMENT = "08_decoder"
EXERCISES = [
    decoder_mask.EXERCISE,
    next_token_probabilities.EXERCISE,
    repaired_loss.EXERCISE,
    cached_attention.EXERCISE,
    beam_search.EXERCISE,
]
