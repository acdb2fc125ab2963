"""Variants of the exercises of assignment 8."""

from __future__ import annotations

from grading.exercise.variants import Variant

_TEXT = (
    "The function runs, gives one number, and the number falls in training. It has **four bugs**, "
    "each of which has lived in code that people used.",
    "The function runs, and gives one number. It has **four bugs**.",
)
_LINES = ("and which do the four lines of the function ask for?", "and which does the function?")
_SKETCH = (
    "One bug for each of: the direction of the shift, the way the vocabulary gets to axis 1, what "
    "decides about padding, and what the sum is divided by."
)

VARIANTS = {
    "repaired_loss": (
        Variant(
            bugs={
                "twice": "it is shifted twice, so the logits at token t are judged by token t + 2",
                "either": "a prediction counts as soon as one of its two tokens is real, but both "
                "must be",
                "softmaxed": "`cross_entropy` is given probabilities, but it takes logits",
                "real_tokens": "the sum is divided by the number of real tokens, but a text of n "
                "tokens has n − 1 predictions",
            },
            text=[
                _TEXT,
                _LINES,
                (
                    _SKETCH,
                    "One bug for each of: how far it is shifted, what `cross_entropy` is given, "
                    "which predictions count, and what the sum is divided by.",
                ),
            ],
        ),
        Variant(
            bugs={
                "wrong_way": "it is shifted the wrong way, so the logits at a token are judged by "
                "the token *before* it",
                "asking_only": "whether a prediction counts is asked of one of its tokens only, "
                "but both must be real",
                "no_softmax": "`nll_loss` is given logits, but it takes log-probabilities",
                "sequences": "each text is averaged by itself, and then the averages",
            },
            text=[
                _TEXT,
                _LINES,
                (
                    _SKETCH,
                    "One bug for each of: the direction of the shift, the function that makes the "
                    "losses, which predictions count, and how they are averaged.",
                ),
            ],
        ),
    ),
}
