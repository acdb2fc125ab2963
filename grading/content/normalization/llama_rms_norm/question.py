"""RMSNorm in half precision, rounded where Llama rounds."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.check import gradient_of_each
from grading.content.drawing import draw_sizes, redrawn
from grading.content.normalization.sections import RMS
from grading.content.normalization.shared import draw_away_from_zero
from grading.exercise import Case, Part, Question


def llama_rms_norm(x, weight, eps):
    """RMSNorm as Llama computes it."""
    wide = x.float()
    mean_square = wide.square().mean(-1, keepdim=True)
    root = (mean_square + eps).sqrt()
    normalised = wide / root
    return normalised.to(x.dtype) * weight


def _rounds_safely(x: Tensor, weight: Tensor, eps: float) -> bool:
    """Tell whether every right way to compute rounds each number to the same neighbour."""
    if x.dtype == torch.float32:
        return True
    wide = x.double()
    exact = wide / (wide.square().mean(-1, keepdim=True) + eps).sqrt()
    below, above = ((exact * factor).to(x.dtype) for factor in (1 - 3e-6, 1 + 3e-6))
    return torch.equal(below, above)


def _differing(mistake: str, x: Tensor, weight: Tensor, eps: float) -> int:
    """Count the numbers that differ if this mistake is made."""
    right, other = llama_rms_norm(x, weight, eps), _wrong(mistake)(x, weight, eps)
    return int((right != other).sum())


def _wrong(name: str) -> Callable:
    from . import EXERCISE  # which has the bank, that stands on this module

    return EXERCISE.wrong(name)


def _rms_cases(generator: torch.Generator) -> list[Case]:
    def case(
        title,
        part="core",
        shape=None,
        dtype=torch.float32,
        size=4.0,
        eps=1e-12,
        again=False,
        zero=False,
        **options,
    ):
        batch, tokens, hidden = draw_sizes(generator, 3, low=3)
        shape = shape or (batch, tokens, hidden + 1)
        while True:
            x = draw_away_from_zero(generator, *shape) + 0.8
            x = (x.sign() * x.abs().clamp(min=0.3) * size).to(dtype)
            if zero:
                x[0] = 0.0
            weight = draw_away_from_zero(generator, shape[-1])
            if part == "half":  # powers of two: it does not matter when such a gain is multiplied
                weight = weight.sign() * torch.exp2((weight.abs() < 1).float() * -2 + 1)
            weight = weight.to(dtype)
            safe = _rounds_safely(x, weight, eps)
            telling = {
                "half": ["half_statistics"],
                "order": ["gain_before_rounding", *["square_in_half"] * (dtype == torch.bfloat16)],
            }.get(part, [])
            if dtype == torch.bfloat16:  # what is rounded twice shows in one part and not in two
                twice = _differing("through_float16", x, weight, eps)
                safe = safe and (twice > 1 if part == "half" else twice == 0)
            if safe and all(_differing(name, x, weight, eps) > 3 for name in telling):
                break
        arguments = (("x", x), ("weight", weight), ("eps", eps))
        if again:
            others = tuple(redrawn(generator, value) for _, value in arguments)
            options["again"] = (others,)
        return Case(title, part, arguments, **options)

    return [
        case("float32"),
        case("a single vector", shape=(6,)),
        case("one token, one number less", shape=(1, 1, 5)),
        case("small numbers, eps = 0.1", shape=(5, 5, 5), size=0.2, eps=0.1),
        case("a transposed view", strided=True),
        case("gradients, also of vectors of zeros", size=0.2, eps=0.1, zero=True, gradient=True,
             harness=gradient_of_each),
        case("called again with other numbers", shape=(2, 5, 9), again=True),
        case("float16, numbers around 400", "half", (2, 3, 5), torch.float16, 400.0, 1e-20),
        case("float16, numbers around 0.0001 and zeros", "half", (3, 2, 4), torch.float16, 1e-4,
             1e-8, zero=True),
        # beyond what float16 can hold
        case("bfloat16, gains ±½ and ±2", "half", (2, 3, 6), torch.bfloat16, size=3e5),
        case("bfloat16, any gains", "order", (3, 2, 7), torch.bfloat16, size=40.0),
        case("float16, any gains", "order", (2, 4, 6), torch.float16, size=40.0),
    ]  # fmt: skip


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


QUESTION = Question(
    id="llama_rms_norm",
    title="RMSNorm in half precision",
    signature="llama_rms_norm(x, weight, eps)",
    reference=llama_rms_norm,
    cases=_rms_cases,
    parts=(
        Part("core", "RMSNorm in float32, and its gradients", 2),
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
)
