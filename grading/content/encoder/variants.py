"""Variants of the exercises of assignment 6."""

from __future__ import annotations

from grading.exercise.variants import Variant

_TEXT = (
    "It runs, every shape is right, and it trains. It has **five bugs**. Each of them was found in "
    "code that people used.",
    "It runs, and every shape is right. It has **five bugs**.",
)
_PAGE = ("a key padding mask that is True?", "a key padding mask of floating point numbers?")
_SKETCH = (
    "Two bugs are about the way from layer to layer, one is about what True means, one is a "
    "default, and one is a module that is made and then forgotten."
)
_MASK = (": True for what?", ": which numbers, and of which dtype?")
_INTO = "`hidden_states[-2]` is what went *into* the last layer"

VARIANTS = {
    "RepairedEncoder": (
        Variant(
            bugs={
                "tanh_form": "the activation is the tanh form of GELU, not the exact one",
                "added": "the mask of ones and zeros is passed as floating point numbers, and so "
                "it is *added* to the scores and hides nothing",
                "shared": "all layers are one and the same object",
                "one_short": _INTO,
                "no_final_norm": "with pre-norm, the final norm is made and never called",
            },
            text=[
                _TEXT,
                _PAGE,
                _MASK,
                (
                    _SKETCH,
                    "One bug is in how the layers are made, one in what is taken from them, one in "
                    "what the mask is made of; one is the form of a function, and one is a module "
                    "that is made and then forgotten.",
                ),
            ],
        ),
        Variant(
            bugs={
                "relu": "the activation is ReLU, the default of `nn.TransformerEncoderLayer`",
                "padding_added": "the mask is 1.0 for padding, as floating point numbers, which "
                "are *added* to the scores",
                "reversed": "the layers run in the wrong order, the last one first",
                "one_short": _INTO,
                "always_post": "`pre_norm` is not passed on, so that every layer is post-norm",
            },
            points={"no_final_norm": 3},
            text=[
                _TEXT,
                _PAGE,
                _MASK,
                (
                    _SKETCH,
                    "Two bugs are about the way from layer to layer, one is in what the mask is "
                    "made of, and two are defaults.",
                ),
            ],
        ),
    ),
}
