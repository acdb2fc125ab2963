"""What several exercises of assignment multi_head draw and build with."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.content.drawing import normal
from grading.content.multi_head.sections import COMMON, ONE_HEAD, PACKED
from grading.exercise import Mistake

State = dict[str, Tensor]


def draw_sizes(generator: torch.Generator) -> list[int]:
    """Draw batch, tokens, heads and head size: 2, 3, 4 and 5 in any order, but never two tokens.

    A padded sentence of two has one token left, whose weight is 1 whatever the scores are.
    """
    batch, tokens, heads, size = (torch.randperm(4, generator=generator) + 2).tolist()
    return [tokens, batch, heads, size] if tokens == 2 else [batch, tokens, heads, size]


def draw_linear(
    generator: torch.Generator, name: str, out: int, into: int, size: float = 1.2
) -> State:
    return {
        f"{name}.weight": normal(generator, out, into, size=size / math.sqrt(into)),
        f"{name}.bias": normal(generator, out, size=0.6),
    }


def packed_state(generator: torch.Generator, hidden: int, width: int) -> State:
    return {
        **draw_linear(generator, "query_key_value", 3 * width, hidden),
        **draw_linear(generator, "output", hidden, width),
    }


def draw_mask(generator: torch.Generator, *shape: int) -> Tensor:
    """Draw a boolean mask in which each row hides something and shows something."""
    order = torch.rand(*shape, generator=generator).argsort(dim=-1)
    shown = torch.randint(1, shape[-1], (*shape[:-1], 1), generator=generator)
    return order < shown


def draw_padding(generator: torch.Generator, batch: int, tokens: int) -> Tensor:
    """True for two tokens or more, False for padding behind them; no sentence is full."""
    lengths = torch.randint(2, tokens, (batch, 1), generator=generator)
    return torch.arange(tokens) < lengths


def masked_softmax(scores: Tensor, keep: Tensor | None) -> Tensor:
    """Softmax over what may be seen; zeros in a row that may see nothing."""
    if keep is None:
        return scores.softmax(-1)
    empty = ~keep.any(-1, keepdim=True)
    return scores.masked_fill(~keep & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0.0)


OF_MASKS = {"zero_score", "nan_row", "nan_gradient", "finite_fill", "added_mask", "small_added"}


def wrong_weights(scores: Tensor, keep: Tensor | None, wrong: frozenset[str]) -> Tensor:
    """The weights, with those of the usual mistakes of masks and softmax that are asked for."""
    if "mask_ignored" in wrong:
        keep = None
    if "inverted" in wrong and keep is not None:
        keep = ~keep
    if "causal" in wrong:
        square = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        keep = square if keep is None else keep & square
    axis = -2 if "softmax_over_queries" in wrong else 1 if "softmax_over_heads" in wrong else -1
    if keep is None:
        weights = scores.softmax(axis)
    elif "zeroed_after_softmax" in wrong:
        weights = scores.softmax(axis) * keep
    elif axis == -1 and not wrong & OF_MASKS:
        weights = masked_softmax(scores, keep)
    elif axis != -1:
        empty = ~keep.any(-1, keepdim=True)
        weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(axis)
        if "finite_fill" in wrong:
            weights = scores.masked_fill(~keep, -1e9).softmax(axis)
    elif "added_mask" in wrong:
        weights = (scores + keep).softmax(axis)
    elif "small_added" in wrong:
        weights = (scores + ~keep * -1e4).softmax(axis)
    else:
        fill = 0.0 if "zero_score" in wrong else -1e9 if "finite_fill" in wrong else -math.inf
        weights = scores.masked_fill(~keep, fill).softmax(axis)
        if "nan_gradient" in wrong:  # `masked_fill` would keep the NaN from the gradient
            added = torch.zeros(keep.shape).masked_fill(~keep, -math.inf)
            weights = (scores + added).softmax(-1).nan_to_num(0.0)
    weights = F.dropout(weights, 0.1) if "dropout" in wrong else weights
    return weights.softmax(-1) if "double_softmax" in wrong else weights


# Mistakes of scale and softmax; both references that they are edits of spell these steps alike.
SOFTMAX_MISTAKES = (
    Mistake(
        "no_scale",
        "These are the numbers you get without dividing the scores by √head_size.",
        [(" / math.sqrt(query.size(-1))", "")],
        section=COMMON,
    ),
    Mistake(
        "softmax_over_queries",
        "The softmax runs over the queries (`dim=-2`); it must run over the keys, `dim=-1`.",
        [("softmax(dim=-1)", "softmax(dim=-2)"), ("weights.masked_fill(empty, 0.0)", "weights")],
        section=ONE_HEAD,
    ),
    Mistake(
        "softmax_over_heads",
        "The softmax runs over the heads (`dim=1`), so that heads which should not know of "
        "each other compete; it must run over the keys, `dim=-1`.",
        [("softmax(dim=-1)", "softmax(dim=1)"), ("weights.masked_fill(empty, 0.0)", "weights")],
        section=PACKED,
    ),
    Mistake(
        "softmax_over_queries_finite",
        "The softmax runs over the queries (`dim=-2`), of scores in which a finite number "
        "hides; it must run over the keys, `dim=-1`, and the number must be minus infinity.",
        [
            ("softmax(dim=-1)", "softmax(dim=-2)"),
            ("~keep & ~empty, -math.inf", "~keep, -1e9"),
            ("weights.masked_fill(empty, 0.0)", "weights"),
        ],
        section=ONE_HEAD,
    ),
    Mistake(
        "softmax_over_heads_finite",
        "The softmax runs over the heads (`dim=1`), of scores in which a finite number hides; "
        "it must run over the keys, `dim=-1`, and the number must be minus infinity.",
        [
            ("softmax(dim=-1)", "softmax(dim=1)"),
            ("~keep & ~empty, -math.inf", "~keep, -1e9"),
            ("weights.masked_fill(empty, 0.0)", "weights"),
        ],
        section=PACKED,
    ),
)


def softmax_mistakes(variant: Callable[[frozenset[str]], Callable]) -> tuple[Mistake, ...]:
    """Mistakes of scale and softmax that more than one exercise can contain."""
    return (
        Mistake(
            "no_scale",
            "These are the numbers you get without dividing the scores by √head_size.",
            variant(frozenset({"no_scale"})),
            section=COMMON,
        ),
        Mistake(
            "softmax_over_queries",
            "The softmax runs over the queries (`dim=-2`); it must run over the keys, `dim=-1`.",
            variant(frozenset({"softmax_over_queries"})),
            section=ONE_HEAD,
        ),
        Mistake(
            "softmax_over_heads",
            "The softmax runs over the heads (`dim=1`), so that heads which should not know of "
            "each other compete; it must run over the keys, `dim=-1`.",
            variant(frozenset({"softmax_over_heads"})),
            section=PACKED,
        ),
        Mistake(
            "softmax_over_queries_finite",
            "The softmax runs over the queries (`dim=-2`), of scores in which a finite number "
            "hides; it must run over the keys, `dim=-1`, and the number must be minus infinity.",
            variant(frozenset({"softmax_over_queries", "finite_fill"})),
            section=ONE_HEAD,
        ),
        Mistake(
            "softmax_over_heads_finite",
            "The softmax runs over the heads (`dim=1`), of scores in which a finite number hides; "
            "it must run over the keys, `dim=-1`, and the number must be minus infinity.",
            variant(frozenset({"softmax_over_heads", "finite_fill"})),
            section=PACKED,
        ),
    )
