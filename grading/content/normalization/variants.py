"""Variants of the exercises of assignment 4."""

from __future__ import annotations

from grading.exercise.variants import Variant

_TEXT = (
    "It returns the right shape in both arrangements, and it trains. It has **four bugs**. Three "
    "of them were published, in a notebook, in a speech recogniser, in tutorials; the fourth "
    "stands in more than one lesson.",
    "It returns the right shape in both arrangements. It has **four bugs**.",
)
_POINTS = {"second_residual": 3, "eps_of_norm2": 3, "dropout_alive": 3}

VARIANTS = {
    "RepairedLayer": (
        Variant(
            bugs={
                "first_residual_missing_in_pre": "in pre-norm the result of attention replaces `x` "
                "instead of being added to it",
                "residual_from_the_start": "in post-norm the second residual is the input of the "
                "layer; it must be what came out of `norm1`",
                "eps_of_norm1": "`norm1` is built without the `eps` that was given",
                "dropout_alive": "`F.dropout` drops in evaluation, too, unless it is told "
                "`self.training`",
            },
            points=_POINTS,
            text=[_TEXT],
        ),
        Variant(
            bugs={
                "attention_reads_x": "in pre-norm attention reads `x` as it is; it must read "
                "norm1(x)",
                "first_norm_missing": "in post-norm `norm1` is not applied; the norm stands after "
                "each of the two sums",
                "eps_of_norm2": "`norm2` is built without the `eps` that was given",
                "rate_fixed": "the rate of dropout is a number in the code, and the argument "
                "`dropout` is not used",
            },
            points=_POINTS,
            text=[
                _TEXT,
                (
                    "Three of the bugs change the numbers in evaluation mode, one only at another "
                    "`eps`.",
                    "Three of the bugs change the numbers in evaluation mode, one of these only at "
                    "another `eps`; one shows in training alone.",
                ),
                (
                    "what does a function of torch.nn.functional know of eval(), if nobody tells "
                    "it?",
                    "in training: of how many numbers should dropout leave how many?",
                ),
            ],
        ),
    ),
}
