"""Assignment 9, tokenizers: the exercises that are graded by running them."""

from grading.content.tokenizers import (
    decode_pieces,
    merge_word,
    repaired_wordpiece,
    test_merges,
    train_merges,
)

ASSIGNMENT = "09_tokenizers"
EXERCISES = [
    merge_word.EXERCISE,
    train_merges.EXERCISE,
    decode_pieces.EXERCISE,
    repaired_wordpiece.EXERCISE,
    test_merges.EXERCISE,
]
