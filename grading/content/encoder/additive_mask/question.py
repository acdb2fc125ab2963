"""Exercise 1: the mask of a padded batch, as numbers that are added to the scores."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grading.content.drawing import one_of
from grading.content.encoder import harnesses
from grading.content.encoder.sections import ON_ITS_WAY
from grading.content.encoder.shared import draw_lengths
from grading.exercise import Case, Part, Question


def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    """Return 0 where a query may look at a key, the dtype's lowest number elsewhere."""
    position = torch.arange(tokens)
    length = lengths[:, None]  # [batch, 1]
    real = position >= tokens - length if left else position < length  # [batch, tokens]
    keep = real[:, None, None, :]
    if allowed is not None:
        keep = keep & allowed  # [batch, 1, queries, tokens]
    mask = torch.zeros(keep.shape, dtype=dtype)
    mask = mask.masked_fill(~keep, torch.finfo(dtype).min)
    return mask


def _mask_cases(generator: torch.Generator) -> list[Case]:
    def square(tokens: int) -> Tensor:
        """Draw who may look at whom; every query may look at itself, no matrix is symmetric."""
        allowed = torch.rand(tokens, tokens, generator=generator) < 0.5
        allowed[0, 1], allowed[1, 0] = True, False
        return allowed | torch.eye(tokens, dtype=torch.bool)

    def window(queries: int, tokens: int) -> Tensor:
        allowed = torch.rand(queries, tokens, generator=generator) < 0.5
        allowed[:, -1], allowed[0, 0], allowed[-1, 0] = False, True, False
        return allowed

    def case(title, part, lengths, tokens, *more, again=(), harness=harnesses.with_dtype):
        names = ("dtype", "allowed", "left")[: len(more)]
        arguments = (("lengths", lengths), ("tokens", tokens), *zip(names, more, strict=True))
        return Case(title, part, arguments, harness=harness if more else None, again=again)

    batch, tokens = 3, one_of(generator, 5, 6, 7)
    twice = draw_lengths(generator, 2, 8)
    short = draw_lengths(generator, batch, tokens)
    many = torch.arange(tokens).roll(one_of(generator, 1, 2)).clamp(max=3)
    full_and_empty = torch.tensor([tokens, 0, 2])
    long = torch.tensor([257, 299, 4])  # bfloat16 has no 257 and no 299
    return [
        case("three texts", "core", short, tokens),
        case("as many texts as tokens, all padded", "core", many, tokens),
        case("a batch of one, an empty text", "core", torch.tensor([0]), tokens),
        case("no padding at all, texts of one token", "core", torch.ones(batch).long(), 1),
        case("no padding at all, and nothing but padding", "core", full_and_empty, tokens),
        case(
            "called again, other lengths", "core", torch.tensor([2, 0, 9]), 9, again=((short, 9),)
        ),
        case(
            "with `allowed`, then another, then on the left",
            "combined",
            twice,
            8,
            "float32",
            square(8),
            again=((twice, 8, "float32", square(8)), (twice, 8, "float32", square(8), True)),
        ),
        case(
            "with `allowed`",
            "combined",
            draw_lengths(generator, batch, tokens),
            tokens,
            "float32",
            square(tokens),
        ),
        *(
            case(
                f"with `allowed` for {title}",
                "combined",
                draw_lengths(generator, texts, tokens),
                tokens,
                "float32",
                allowed,
            )
            for title, texts, allowed in (
                ("as many queries as texts", tokens - 2, window(tokens - 2, tokens)),
                ("more queries than tokens", 2, window(tokens + 2, tokens)),
                ("one query that may see nothing", 2, torch.zeros(1, tokens).bool()),
            )
        ),
        case(
            "padding on the left, one text without, one of nothing else",
            "combined",
            *(torch.tensor([3, 0, tokens]), tokens, "float32", None, True),
        ),
        case("float16", "dtype", short, tokens, "float16"),
        case("bfloat16, long texts", "dtype", long, 300, "bfloat16"),
        case("float64", "dtype", short, tokens, "float64"),
        case(
            "float64 and float16 beside `allowed`, on the left: the dtype, its lowest number",
            "dtype",
            *(short, tokens, "float16", square(tokens), True),
            harness=harnesses.three_dtypes,
        ),
    ]


def _mask_by_loop(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    low = torch.finfo(dtype).min
    queries = 1 if allowed is None else len(allowed)
    mask = torch.zeros(len(lengths), 1, queries, tokens, dtype=dtype)
    for b, length in enumerate(lengths.tolist()):
        for q in range(queries):
            for k in range(tokens):
                real = k >= tokens - length if left else k < length
                if not real or (allowed is not None and not allowed[q][k]):
                    mask[b, 0, q, k] = low
    return mask


def _mask_by_slices(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    rows = []
    for length in lengths:
        row = torch.full((1, 1, tokens), torch.finfo(dtype).min, dtype=dtype)
        row[..., tokens - int(length) :] = 0
        rows.append(row if left else row.flip(-1))
    mask = torch.stack(rows)
    if allowed is not None:
        pairs = torch.where(allowed, 0.0, -math.inf).to(dtype)
        mask = (mask + pairs).clamp(min=torch.finfo(dtype).min)
    return mask


def _mask_by_product(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    real = torch.arange(tokens).expand(lengths.numel(), -1).lt(lengths.view(-1, 1))
    real = real.flip(1) if left else real
    mask = (1.0 - real.to(dtype))[:, None, None] * torch.finfo(dtype).min
    if allowed is None:
        return mask
    return torch.minimum(mask, (1.0 - allowed.to(dtype)) * torch.finfo(dtype).min)


def _mask_by_where(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    number = torch.arange(tokens, 0, -1) if left else torch.arange(1, tokens + 1)
    keep = torch.einsum("bk->bk", (number[None] <= lengths[:, None]).long())[:, None, None]
    if allowed is not None:
        keep = keep * allowed.long()
    low = torch.tensor(torch.finfo(dtype).min, dtype=dtype)
    return torch.where(keep > 0, torch.tensor(0.0, dtype=dtype), low)


QUESTION = Question(
    id="additive_mask",
    title="A mask that is added",
    signature="additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False)",
    reference=additive_mask,
    cases=_mask_cases,
    parts=(
        Part("core", "the mask of a padded batch", 2),
        Part("combined", "with a second mask; padding on the left", 1),
        Part("dtype", "half and double precision", 1),
    ),
    minutes=15,
    difficulty=1,
    section=ON_ITS_WAY,
    alternatives={
        "loop": _mask_by_loop,
        "slices and a clamp": _mask_by_slices,
        "products and a minimum": _mask_by_product,
        "counted from 1": _mask_by_where,
    },
)
