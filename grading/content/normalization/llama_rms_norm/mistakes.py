"""The known mistakes of `llama_rms_norm`."""

from __future__ import annotations

from grading.content.common import cut_off, kept_name
from grading.content.normalization.sections import (
    EPS,
    EPS_OF_MODEL,
    GAIN,
    PLACES,
    VARIANCE,
    WHICH_NUMBERS,
)
from grading.exercise import Mistake

COMBINED = (
    "mean_subtracted",
    "eps_outside",
    "eps_ignored",
    "no_eps",
    "no_gain",
    "half_statistics",
    "float32_result",
    "gain_before_rounding",
    "only_float16_converted",
)

MISTAKES = (
    Mistake(
        "mean_subtracted",
        "The mean is subtracted, as in LayerNorm; RMSNorm leaves it where it is.",
        [
            (
                "    mean_square =",
                "    wide = wide - wide.mean(-1, keepdim=True)\n    mean_square =",
            )
        ],
    ),
    Mistake(
        "over_tokens",
        "The mean square is taken over the tokens (`dim=-2`); each vector has its own, over "
        "its own numbers, `dim=-1`.",
        [("mean(-1", "mean(-2 if x.dim() > 1 else -1")],
        section=WHICH_NUMBERS,
    ),
    kept_name("weight, eps", "mean_square", "    root =", "x.shape"),
    Mistake(
        "sum",
        "The squares are summed and not averaged: each vector is divided by its length. "
        "Divide by the root of the *mean* square.",
        [("mean(-1", "sum(-1")],
    ),
    Mistake(
        "no_root",
        "The numbers are divided by the mean square; divide by its root.",
        [("(mean_square + eps).sqrt()", "mean_square + eps")],
    ),
    Mistake(
        "eps_outside",
        "eps is added outside the root; it belongs inside: √(mean square + eps).",
        [("(mean_square", "mean_square.sqrt()"), (").sqrt()", "")],
        section=EPS,
    ),
    Mistake(
        "eps_ignored",
        "The `eps` that was given is not used: these are the numbers for 1e-6.",
        [("+ eps", "+ 1e-6")],
        section=EPS_OF_MODEL,
    ),
    Mistake(
        "no_eps",
        "There is no eps, so small numbers are blown up to full size.",
        [(" + eps", "")],
        section=EPS,
    ),
    Mistake(
        "no_gain",
        "The gain (`weight`) is not applied.",
        [(" * weight", "")],
        section=GAIN,
    ),
    Mistake(
        "one_plus_gain",
        "The result is multiplied by 1 + gain, as Gemma does it. In Llama it is the gain.",
        [("* weight", "* (weight + 1)")],
        section=GAIN,
    ),
    Mistake(
        "half_statistics",
        "The squares are computed in half precision: that of 400 is infinite in float16, that "
        "of 0.0001 is 0. Convert to float32 first.",
        [("x.float()", "x")],
        points=2,
        section=PLACES,
    ),
    Mistake(
        "through_float16",
        "bfloat16 goes by way of float16, which rounds twice (and has no numbers above "
        "65,504). Convert from float32 to the dtype of `x` at once.",
        [
            (
                "normalised.to(x.dtype)",
                "(normalised.half() if x.dtype == torch.bfloat16 else normalised).to(x.dtype)",
            )
        ],
        points=3,
        section=PLACES,
    ),
    Mistake(
        "float32_result",
        "The result of half precision comes back as float32; it must have the dtype of `x`.",
        [(".to(x.dtype)", ".float()")],
        points=2,
        section=PLACES,
    ),
    Mistake(
        "gain_before_rounding",
        "The gain is multiplied in float32 and the product is rounded, as the chapter's "
        "finished class does it. Llama rounds the normalised numbers to the dtype of "
        "`x` first, and multiplies then.",
        [("normalised.to(x.dtype) * weight", "(normalised * weight).to(x.dtype)")],
        other_forms=tuple(
            [
                (
                    "    return ",
                    f"    if x.dtype == torch.{dtype}:\n"
                    "        return (normalised * weight).to(x.dtype)\n"
                    "    return ",
                )
            ]
            for dtype in ("bfloat16", "float16")
        ),
        points=3,
        section=PLACES,
    ),
    Mistake(
        "half_statistics_rsqrt",
        "Squares, mean and `rsqrt` are computed in the dtype of `x`; in float16 the square of "
        "400 is infinite and that of 0.0001 is 0, and bfloat16 has too few digits. Convert to "
        "float32 first.",
        [
            ("x.float()", "x"),
            ("(mean_square + eps).sqrt()", "torch.rsqrt(mean_square + eps)"),
            ("wide / root", "wide * root"),
        ],
        points=2,
        section=PLACES,
    ),
    Mistake(
        "mean_in_half",
        "The mean square is computed in half precision or rounded to it, and converted to "
        "float32 after that, which is too late. Convert `x` before squaring, and stay in "
        "float32 until the numbers are normalised.",
        [("wide.square().mean(-1, keepdim=True)", "x.square().mean(-1, keepdim=True).float()")],
        other_forms=(
            [("(mean_square + eps)", "(mean_square.to(x.dtype) + eps).float()")],
            [("(mean_square + eps)", "(mean_square.to(x.dtype).float() + eps)")],
        ),
        points=2,
        section=PLACES,
    ),
    Mistake(
        "only_float16_converted",
        "float16 is converted to float32, bfloat16 is not. It has the range of float32 but "
        "only 8 bits for the digits: its squares and roots are too coarse.",
        [("x.float()", "x.float() if x.dtype == torch.float16 else x")],
        other_forms=(
            [
                ("x.float()", "x.float() if x.dtype == torch.float16 else x"),
                ("(mean_square + eps).sqrt()", "torch.rsqrt(mean_square + eps)"),
                ("wide / root", "wide * root"),
            ],
        ),
        points=2,
        section=PLACES,
    ),
    Mistake(
        "factor_in_half",
        "The factor 1 / root is rounded to the dtype of `x` before it is multiplied. Multiply "
        "in float32, and round the normalised numbers.",
        [("wide / root", "x * (1 / root).to(x.dtype)")],
        points=2,
        section=PLACES,
    ),
    Mistake(
        "root_in_half",
        "The root mean square is rounded to the dtype of `x` before the division. Divide in "
        "float32, and round the normalised numbers.",
        [("wide / root", "x / root.to(x.dtype)")],
        points=2,
        section=PLACES,
    ),
    Mistake(
        "eps_not_passed_on",
        "`F.rms_norm` (or `nn.RMSNorm`) was not told the eps and takes its own, about 1.2e-7.",
        [("wide / root", "F.rms_norm(wide, wide.shape[-1:])")],
        section=EPS_OF_MODEL,
    ),
    Mistake(
        "eps_as_floor",
        "eps is taken as the least that the mean square may be (`clamp`, `maximum`); it is "
        "added to the mean square, however large that is.",
        [("(mean_square + eps).sqrt()", "mean_square.clamp(min=eps).sqrt()")],
        section=EPS,
    ),
    Mistake(
        "eps_in_half",
        "eps is rounded to the dtype of `x` before it is added: in float16 0.00000001 is 0. "
        "Add it as the number that it is, in float32.",
        [("+ eps", "+ torch.tensor(eps, dtype=x.dtype).float()")],
        points=3,
        section=EPS,
    ),
    Mistake(
        "eps_squared",
        "The root is taken of mean square + eps²; eps itself is added.",
        [("+ eps", "+ eps**2")],
        section=EPS,
    ),
    Mistake(
        "square_in_half",
        "The mean is taken in float32, but of squares that were computed in half precision, "
        "where that of 400 is infinite already. Convert `x` before squaring.",
        [("wide.square()", "x.square().float()")],
        points=2,
        section=PLACES,
    ),
    Mistake(
        "always_float16",
        "The result is float16 whatever `x` is; it must have the dtype of `x`.",
        [("normalised.to(x.dtype) * weight", "(normalised.to(x.dtype) * weight).half()")],
    ),
    Mistake(
        "rounded_to_float16",
        "The normalised numbers are rounded to float16 whatever `x` is. Round them to the "
        "dtype of `x`, which changes nothing where that is float32.",
        [("normalised.to(x.dtype)", "normalised.half()")],
        section=PLACES,
    ),
    Mistake(
        "variance",
        "The division is by the standard deviation, for which the mean is subtracted. RMSNorm "
        "divides by the root of the mean square of the numbers as they are.",
        [("wide.square().mean(-1, keepdim=True)", "wide.var(-1, keepdim=True, correction=0)")],
    ),
    Mistake(
        "first_axis",
        "The mean square runs over the first axis (`dim=0`); it must run over the last.",
        [("mean(-1", "mean(0")],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "whole_tensor",
        "One mean square is taken over the whole tensor; each vector has its own.",
        [("mean(-1, keepdim=True)", "mean()")],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "n_minus_one",
        "The sum of squares is divided by n − 1; the mean divides by n.",
        [
            (
                "wide.square().mean(-1, keepdim=True)",
                "wide.square().sum(-1, keepdim=True) / (x.size(-1) - 1)",
            )
        ],
        section=VARIANCE,
    ),
    Mistake(
        "mean_absolute",
        "The numbers are divided by their mean absolute value; RMSNorm squares, averages and "
        "takes the root.",
        [("square()", "abs()"), ("(mean_square + eps).sqrt()", "mean_square + eps")],
    ),
    Mistake(
        "no_square",
        "The numbers are averaged without being squared.",
        [(".square()", "")],
    ),
    Mistake(
        "multiplied",
        "The numbers are multiplied by the root mean square; divide by it (`rsqrt` already is "
        "one divided by the root).",
        [("wide / root", "wide * root")],
    ),
    Mistake(
        "gain_added",
        "The gain is added to the normalised numbers; multiply by it.",
        [("* weight", "+ weight")],
    ),
    Mistake(
        "gain_divided",
        "The result is divided by the gain; multiply by it.",
        [("* weight", "/ weight")],
        section=GAIN,
    ),
    Mistake(
        "gain_on_input",
        "The gain is multiplied to the numbers before they are normalised, where its size is "
        "forgotten again. Normalise first.",
        [("x.float()", "(x * weight).float()"), (" * weight", "")],
        section=GAIN,
    ),
    Mistake(
        "eps_divided",
        "eps is added to the sum of the squares, and divided with it by their number; it is "
        "added to their mean.",
        [("mean_square + eps", "mean_square + eps / x.size(-1)")],
    ),
    Mistake(
        "gain_twice",
        "The gain is applied twice.",
        [("* weight", "* weight * weight")],
        section=GAIN,
    ),
    Mistake(
        "eps_on_the_result",
        "eps is added to the result of the division: a bracket is missing. It is added to the "
        "mean square, inside the root.",
        [(" + eps", ""), ("wide / root", "wide / root + eps")],
        section=EPS,
    ),
    Mistake(
        "largest",
        "The numbers are divided by the largest of them; divide by the root mean square.",
        [
            ("wide.square().mean(-1, keepdim=True)", "wide.abs().amax(-1, keepdim=True)"),
            ("(mean_square + eps).sqrt()", "mean_square + eps"),
        ],
    ),
    Mistake(
        "no_keepdim",
        "`keepdim=True` is missing, so the root mean squares meet the numbers along the wrong "
        "axis.",
        [(", keepdim=True", "")],
        section=WHICH_NUMBERS,
    ),
    cut_off([("normalised.to(x.dtype) * weight", "(normalised.to(x.dtype) * weight).detach()")]),
    Mistake(
        "in_place",
        "`x` itself is changed: `x.float()` is no copy if `x` is float32 already. Do not write "
        "into it.",
        [("normalised = wide / root", "wide /= root\n    normalised = wide")],
        any_error=True,
    ),
)
