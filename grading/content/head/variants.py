"""Variants of the exercises of assignment 7."""

from __future__ import annotations

from grading.exercise.variants import Variant

_TEXT = (
    ", all of them found in published code, most of them in the company of good results.",
    ".",
)
_SKETCH = (
    "Look at four lines: the one that keeps the best weights, the comparison, what happens to "
    "`waited` after a gain, and in which mode `validation_loss` and the *second* epoch run."
)

VARIANTS = {
    "repaired_fit": (
        Variant(
            bugs={
                "no_restore": "the model keeps the weights of its last epoch",
                "one_less": "it stops one epoch too early",
                "ties": "an equal loss counts as a gain",
                "no_eval": "validation runs in training mode",
            },
            by_half=("train_once", "no_buffers"),
            text=[
                _TEXT,
                (
                    _SKETCH,
                    "Look at four places: what becomes of the best weights in the end, the "
                    "comparison, what `waited` is compared with, and in which mode "
                    "`validation_loss` and the *second* epoch run.",
                ),
            ],
        ),
        Variant(
            bugs={
                "alias": "the best weights are no copy, so they go on changing",
                "one_more": "it stops one epoch too late",
                "nan_wins": "a loss of NaN counts as a gain",
                "no_train": "nothing sets the model to training mode",
            },
            by_half=("no_buffers",),
            points={"ties": 3, "no_eval": 3, "train_once": 3},
            text=[
                _TEXT,
                ("the losses 5, 6, 4, 5, 3:", "the losses 5, 6, 7, 4:"),
                (
                    _SKETCH,
                    "Look at four places: the line that keeps the best weights, the comparison, "
                    "what `waited` is compared with, and in which mode the *second* epoch runs.",
                ),
            ],
        ),
    ),
}
