"""Variants of the exercises of assignment 1."""

from __future__ import annotations

from grading.exercise.variants import Variant

_DROPOUT = (
    "`dropout_p` is always on: this function does not know about `eval()`, it drops weights "
    "whenever it is told to"
)
_TEXT = (
    "It runs, its output has the right shape, a model with it even trains. It has **three bugs**, "
    "each of which has been published and lived for a while in code that people used.",
    "It runs, and its output has the right shape. It has **three bugs**.",
)

VARIANTS = {
    "repaired_attention": (
        Variant(
            bugs={
                "first_sentence_mask": "every sentence is masked like the first one",
                "scale_d_k": "the scores are divided by d_k itself, not by its root",
                "dropout": _DROPOUT,
            },
            by_half=("dropout_with_gradients",),
            text=[
                _TEXT,
                ("Does the output change? Change one", "Does its output change? Change one"),
                (
                    "One sentence there contradicts each bug.",
                    "Two bugs show there. For the third, ask what each text of a batch gets.",
                ),
            ],
        ),
        Variant(
            bugs={
                "added_mask": "the mask is passed as floating point numbers, and those are *added* "
                "to the scores, so padding is hardly hidden",
                "scale_multiplied": "the scores are multiplied by √d_k: `scale` is a factor, so it "
                "must be one divided by the root",
                "dropout": _DROPOUT,
            },
            by_half=("dropout_with_gradients",),
            text=[_TEXT],
        ),
    ),
}
