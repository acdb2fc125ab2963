"""RMSNorm in half precision."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.content.drawing import draw_sizes
from grading.content.normalization.sections import (
    EPS,
    EPS_OF_MODEL,
    GAIN,
    PLACES,
    RMS,
    VARIANCE,
    WHICH_NUMBERS,
)
from grading.content.normalization.shared import draw_away_from_zero
from grading.exercise import Case, Exercise, Mistake, Part


def _llama_rms_norm(mistakes: frozenset[str] = frozenset()):
    def llama_rms_norm(x, weight, eps):
        eps = 1e-6 if "eps_ignored" in mistakes else eps
        wide = x if "half_statistics" in mistakes else x.float()
        if "mean_subtracted" in mistakes:
            wide = wide - wide.mean(-1, keepdim=True)
        axis = -2 if "over_tokens" in mistakes and x.dim() > 1 else -1
        square = wide.square().mean(axis, keepdim=True)
        if "sum" in mistakes:
            square = wide.square().sum(axis, keepdim=True)
        if "eps_outside" in mistakes:
            root = square.sqrt() + eps
        elif "no_eps" in mistakes:
            root = square.sqrt()
        else:
            root = (square + eps).sqrt()
        normalised = wide / (root.square() if "no_root" in mistakes else root)
        gain = weight + 1 if "one_plus_gain" in mistakes else weight
        if "gain_added" in mistakes:
            return normalised.to(x.dtype) + gain
        if "no_gain" in mistakes:
            gain = torch.ones_like(weight)
        if "float32_result" in mistakes:
            return normalised * gain.float()
        if "gain_before_rounding" in mistakes:
            return (normalised * gain.float()).to(x.dtype)
        return normalised.to(x.dtype) * gain

    return llama_rms_norm


_right_rms_norm = _llama_rms_norm()


def _rounds_safely(x: Tensor, weight: Tensor, eps: float) -> bool:
    """Tell whether every right way to compute rounds each number to the same neighbour."""
    if x.dtype == torch.float32:
        return True
    wide = x.double()
    exact = wide / (wide.square().mean(-1, keepdim=True) + eps).sqrt()
    below, above = ((exact * factor).to(x.dtype) for factor in (1 - 3e-6, 1 + 3e-6))
    return torch.equal(below, above)


def _shows(mistake: str, x: Tensor, weight: Tensor, eps: float) -> bool:
    """Tell whether several numbers differ if this mistake is made."""
    other = _llama_rms_norm(frozenset({mistake}))
    return int((_right_rms_norm(x, weight, eps) != other(x, weight, eps)).sum()) > 3


def _rms_cases(generator: torch.Generator) -> list[Case]:
    def case(
        title,
        part="core",
        shape=None,
        dtype=torch.float32,
        size=4.0,
        eps=1e-12,
        **options,
    ):
        batch, tokens, hidden = draw_sizes(generator, 3, low=3)
        shape = shape or (batch, tokens, hidden + 1)
        while True:
            x = draw_away_from_zero(generator, *shape) + 0.8
            x = (x.sign() * x.abs().clamp(min=0.3) * size).to(dtype)
            weight = draw_away_from_zero(generator, shape[-1])
            if part == "half":  # powers of two: it does not matter when such a gain is multiplied
                weight = weight.sign() * torch.exp2((weight.abs() < 1).float() * -2 + 1)
            weight = weight.to(dtype)
            safe = _rounds_safely(x, weight, eps)
            telling = {"half": "half_statistics", "order": "gain_before_rounding"}.get(part)
            if safe and (telling is None or _shows(telling, x, weight, eps)):
                break
        arguments = (("x", x), ("weight", weight), ("eps", eps))
        return Case(title, part, arguments, **options)

    return [
        case("float32"),
        case("a single vector", shape=(6,)),
        case("one token, one number less", shape=(1, 1, 5)),
        case("small numbers, eps = 0.1", size=0.2, eps=0.1),
        case("a transposed view", strided=True),
        case("gradients", gradient=True),
        case("float16, numbers around 400", "half", (2, 3, 5), torch.float16, 400.0, 1e-20),
        case("float16, numbers around 0.0001", "half", (3, 2, 4), torch.float16, 1e-4, 1e-20),
        case("bfloat16, gains ±½ and ±2", "half", (2, 3, 6), torch.bfloat16),
        case("bfloat16, any gains", "order", (3, 2, 7), torch.bfloat16),
        case("float16, any gains", "order", (2, 4, 6), torch.float16, size=0.7),
    ]


def _hugging_face(x, weight, eps):
    """The order of Hugging Face's ``LlamaRMSNorm``."""
    hidden = x.to(torch.float32)
    variance = hidden.pow(2).mean(-1, keepdim=True)
    hidden = hidden * torch.rsqrt(variance + eps)
    return weight * hidden.to(x.dtype)


def _loop_rms(x, weight, eps):
    rows = []
    for row in x.reshape(-1, x.size(-1)):
        numbers = row.float()
        root = (numbers.dot(numbers) / numbers.numel() + eps) ** 0.5
        rows.append((numbers / root).to(row.dtype) * weight)
    return torch.stack(rows).view(x.shape)


def _in_place_rms(x, weight, eps):
    wide = x.float()  # for float32 this is `x` itself
    wide /= (wide.square().mean(-1, keepdim=True) + eps).sqrt()
    return wide.to(x.dtype) * weight


def _no_keepdim_rms(x, weight, eps):
    wide = x.float()
    return (wide / (wide.square().mean(-1) + eps).sqrt()).to(x.dtype) * weight


EXERCISE = Exercise(
    id="llama_rms_norm",
    title="RMSNorm in half precision",
    signature="llama_rms_norm(x, weight, eps)",
    reference=_right_rms_norm,
    variant=_llama_rms_norm,
    cases=_rms_cases,
    parts=(
        Part("core", "RMSNorm in float32", 2),
        Part("half", "float16 and bfloat16, with statistics in float32", 1),
        Part("order", "rounded before the gain", 1),
    ),
    minutes=15,
    difficulty=2,
    section=RMS,
    alternatives={
        "as in Hugging Face": _hugging_face,
        "library, then the gain": lambda x, weight, eps: (
            F.rms_norm(x.float(), x.shape[-1:], eps=eps).to(x.dtype) * weight
        ),
        "in float64": lambda x, weight, eps: (
            (x.double() / x.double().square().mean(-1, keepdim=True).add(eps).sqrt()).to(x.dtype)
            * weight
        ),
        "loop": _loop_rms,
        "norm of the vector": lambda x, weight, eps: (
            (
                x.float()
                * math.sqrt(x.size(-1))
                / (
                    torch.linalg.vector_norm(x.float(), dim=-1, keepdim=True).square()
                    + eps * x.size(-1)
                ).sqrt()
            ).to(x.dtype)
            * weight
        ),
        "product in float32": lambda x, weight, eps: (
            F.rms_norm(x.float(), x.shape[-1:], eps=eps).to(x.dtype).float() * weight.float()
        ).to(x.dtype),
    },
    mistakes=(
        Mistake(
            "mean_subtracted",
            "The mean is subtracted, as in LayerNorm; RMSNorm leaves it where it is.",
        ),
        Mistake(
            "over_tokens",
            "The mean square is taken over the tokens (`dim=-2`); each vector has its own, over "
            "its own numbers, `dim=-1`.",
            section=WHICH_NUMBERS,
            mutation=_llama_rms_norm(frozenset({"over_tokens"})),
        ),
        Mistake(
            "sum",
            "The squares are summed and not averaged: each vector is divided by its length. "
            "Divide by the root of the *mean* square.",
            mutation=_llama_rms_norm(frozenset({"sum"})),
        ),
        Mistake(
            "no_root",
            "The numbers are divided by the mean square; divide by its root.",
            mutation=_llama_rms_norm(frozenset({"no_root"})),
        ),
        Mistake(
            "eps_outside",
            "eps is added outside the root; it belongs inside: √(mean square + eps).",
            section=EPS,
        ),
        Mistake(
            "eps_ignored",
            "The `eps` that was given is not used: these are the numbers for 1e-6.",
            section=EPS_OF_MODEL,
        ),
        Mistake(
            "no_eps",
            "There is no eps, so small numbers are blown up to full size.",
            section=EPS,
        ),
        Mistake("no_gain", "The gain (`weight`) is not applied.", section=GAIN),
        Mistake(
            "one_plus_gain",
            "The result is multiplied by 1 + gain, as Gemma does it. In Llama it is the gain.",
            section=GAIN,
            mutation=_llama_rms_norm(frozenset({"one_plus_gain"})),
        ),
        Mistake(
            "half_statistics",
            "The squares are computed in half precision: that of 400 is infinite in float16, that "
            "of 0.0001 is 0. Convert to float32 first.",
            points=2,
            section=PLACES,
        ),
        Mistake(
            "float32_result",
            "The result of half precision comes back as float32; it must have the dtype of `x`.",
            points=2,
            section=PLACES,
        ),
        Mistake(
            "gain_before_rounding",
            "The gain is multiplied in float32 and the product is rounded, as the chapter's "
            "finished class does it. Llama rounds the normalised numbers to the dtype of "
            "`x` first, and multiplies then.",
            points=3,
            section=PLACES,
        ),
        Mistake(
            "half_statistics_rsqrt",
            "Squares, mean and `rsqrt` are computed in the dtype of `x`; in half precision the "
            "square of 400 is infinite and that of 0.0001 is 0. Convert to float32 first.",
            lambda x, weight, eps: (
                x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight
            ),
            points=2,
            section=PLACES,
        ),
        Mistake(
            "mean_in_half",
            "Squares and mean are computed in half precision, and only the mean is converted to "
            "float32, which is too late. Convert `x` before squaring.",
            lambda x, weight, eps: (
                (x.float() / (x.square().mean(-1, keepdim=True).float() + eps).sqrt()).to(x.dtype)
                * weight
            ),
            points=2,
            section=PLACES,
        ),
        Mistake(
            "only_float16_converted",
            "float16 is converted to float32, bfloat16 is not. It has the range of float32 but "
            "only 8 bits for the digits: its squares and roots are too coarse.",
            lambda x, weight, eps: (
                _right_rms_norm(x, weight, eps)
                if x.dtype != torch.bfloat16
                else _llama_rms_norm(frozenset({"half_statistics"}))(x, weight, eps)
            ),
            points=2,
            section=PLACES,
        ),
        Mistake(
            "root_in_half",
            "The root mean square is rounded to the dtype of `x` before the division. Divide in "
            "float32, and round the normalised numbers.",
            lambda x, weight, eps: (
                x / (x.float().square().mean(-1, keepdim=True) + eps).sqrt().to(x.dtype) * weight
            ),
            points=2,
            section=PLACES,
        ),
        Mistake(
            "eps_not_passed_on",
            "`F.rms_norm` (or `nn.RMSNorm`) was not told the eps and takes its own, about 1.2e-7.",
            lambda x, weight, eps: F.rms_norm(x.float(), x.shape[-1:]).to(x.dtype) * weight,
            section=EPS_OF_MODEL,
        ),
        Mistake(
            "eps_squared",
            "The root is taken of mean square + eps²; eps itself is added.",
            lambda x, weight, eps: _right_rms_norm(x, weight, eps**2),
            section=EPS,
        ),
        Mistake(
            "square_in_half",
            "The mean is taken in float32, but of squares that were computed in half precision, "
            "where that of 400 is infinite already. Convert `x` before squaring.",
            lambda x, weight, eps: (
                (x.float() / (x.square().float().mean(-1, keepdim=True) + eps).sqrt()).to(x.dtype)
                * weight
            ),
            points=2,
            section=PLACES,
        ),
        Mistake(
            "always_float16",
            "The result is float16 whatever `x` is; it must have the dtype of `x`.",
            lambda x, weight, eps: _right_rms_norm(x, weight, eps).half(),
        ),
        Mistake(
            "variance",
            "The division is by the standard deviation, for which the mean is subtracted. RMSNorm "
            "divides by the root of the mean square of the numbers as they are.",
            lambda x, weight, eps: (
                (
                    (x.float() / (x.float().var(-1, keepdim=True, correction=0) + eps).sqrt()).to(
                        x.dtype
                    )
                )
                * weight
            ),
        ),
        Mistake(
            "first_axis",
            "The mean square runs over the first axis (`dim=0`); it must run over the last.",
            lambda x, weight, eps: (
                (x.float() / (x.float().square().mean(0, keepdim=True) + eps).sqrt()).to(x.dtype)
                * weight
            ),
            section=WHICH_NUMBERS,
        ),
        Mistake(
            "whole_tensor",
            "One mean square is taken over the whole tensor; each vector has its own.",
            lambda x, weight, eps: (
                (x.float() / (x.float().square().mean() + eps).sqrt()).to(x.dtype) * weight
            ),
            section=WHICH_NUMBERS,
        ),
        Mistake(
            "n_minus_one",
            "The sum of squares is divided by n − 1; the mean divides by n.",
            lambda x, weight, eps: (
                (
                    x.float()
                    / (x.float().square().sum(-1, keepdim=True) / (x.size(-1) - 1) + eps).sqrt()
                ).to(x.dtype)
                * weight
            ),
            section=VARIANCE,
        ),
        Mistake(
            "mean_absolute",
            "The numbers are divided by their mean absolute value; RMSNorm squares, averages and "
            "takes the root.",
            lambda x, weight, eps: (
                (x.float() / (x.float().abs().mean(-1, keepdim=True) + eps)).to(x.dtype) * weight
            ),
        ),
        Mistake(
            "no_square",
            "The numbers are averaged without being squared.",
            lambda x, weight, eps: (
                (x.float() / (x.float().mean(-1, keepdim=True) + eps).sqrt()).to(x.dtype) * weight
            ),
        ),
        Mistake(
            "multiplied",
            "The numbers are multiplied by the root mean square; divide by it (`rsqrt` already is "
            "one divided by the root).",
            lambda x, weight, eps: (
                (x.float() * (x.float().square().mean(-1, keepdim=True) + eps).sqrt()).to(x.dtype)
                * weight
            ),
        ),
        Mistake(
            "gain_added",
            "The gain is added to the normalised numbers; multiply by it.",
            mutation=_llama_rms_norm(frozenset({"gain_added"})),
        ),
        Mistake(
            "gain_divided",
            "The result is divided by the gain; multiply by it.",
            lambda x, weight, eps: _right_rms_norm(x, torch.ones_like(weight), eps) / weight,
            section=GAIN,
        ),
        Mistake(
            "gain_on_input",
            "The gain is multiplied to the numbers before they are normalised, where its size is "
            "forgotten again. Normalise first.",
            lambda x, weight, eps: _right_rms_norm(x * weight, torch.ones_like(weight), eps),
            section=GAIN,
        ),
        Mistake(
            "gain_twice",
            "The gain is applied twice.",
            lambda x, weight, eps: _right_rms_norm(x, weight, eps) * weight,
            section=GAIN,
        ),
        Mistake(
            "eps_on_the_result",
            "eps is added to the result of the division: a bracket is missing. It is added to the "
            "mean square, inside the root.",
            lambda x, weight, eps: (
                (x.float() / x.float().square().mean(-1, keepdim=True).sqrt() + eps).to(x.dtype)
                * weight
            ),
            section=EPS,
        ),
        Mistake(
            "largest",
            "The numbers are divided by the largest of them; divide by the root mean square.",
            lambda x, weight, eps: (
                (x.float() / (x.float().abs().amax(-1, keepdim=True) + eps)).to(x.dtype) * weight
            ),
        ),
        Mistake(
            "no_keepdim",
            "`keepdim=True` is missing, so the root mean squares meet the numbers along the wrong "
            "axis.",
            _no_keepdim_rms,
            section=WHICH_NUMBERS,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `no_grad`).",
            lambda x, weight, eps: _right_rms_norm(x, weight, eps).detach(),
        ),
        Mistake(
            "in_place",
            "`x` itself is changed: `x.float()` is no copy if `x` is float32 already. Do not write "
            "into it.",
            _in_place_rms,
            any_error=True,
        ),
    ),
)
