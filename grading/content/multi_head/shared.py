"""What several exercises of assignment 2 draw, build with and get wrong.

Batch, tokens, heads and head size are pairwise different, unless a case is there because two of
them are equal; weights and biases are drawn anew, so large that the scores have a standard
deviation of about 1.5. `hidden` is heads · head size in most cases: a square matrix that is used
the wrong way round raises no error, it gives other numbers.
"""

from __future__ import annotations

import math

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
    """Draw a linear layer's weight and bias, so large that scores differ by 1 or more."""
    return {
        f"{name}.weight": normal(generator, out, into, size=size / math.sqrt(into)),
        f"{name}.bias": normal(generator, out, size=0.6),
    }


def packed_state(generator: torch.Generator, hidden: int, width: int) -> State:
    """Draw the packed projection and the output projection; ``width`` is that of all heads."""
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
    """True for two tokens or more, False for padding behind them; no sentence is full.

    The lengths differ as far as there are enough of them, so that no sentence's mask passes for
    another's.
    """
    order = torch.randperm(tokens - 2, generator=generator) + 2
    lengths = order[torch.arange(batch) % len(order)].unsqueeze(1)
    return torch.arange(tokens) < lengths


def masked_softmax(scores: Tensor, keep: Tensor | None) -> Tensor:
    """Softmax over what may be seen; zeros in a row that may see nothing."""
    if keep is None:
        return scores.softmax(-1)
    empty = ~keep.any(-1, keepdim=True)
    return scores.masked_fill(~keep & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0.0)


def four_dimensions(mask: Tensor, batch: int) -> Tensor:
    """A mask of any form as [batch, heads, query, key], 1 where it is the same for all."""
    if mask.dim() == 2:
        return mask[:, None, None] if mask.size(0) == batch else mask[None, None]
    return mask[:, None] if mask.dim() == 3 else mask


def loop_over_heads(hidden_states, state, num_attention_heads, mask=None):
    """Multi-head attention, head by head: what each adds to the output is summed."""
    batch = hidden_states.size(0)
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    size = weight.size(0) // 3 // num_attention_heads
    result = state["output.bias"].expand(hidden_states.shape)
    keep = None
    if mask is not None:
        shape = (batch, num_attention_heads, hidden_states.size(1), hidden_states.size(1))
        keep = four_dimensions(mask, batch).expand(shape)
    for head in range(num_attention_heads):
        query, key, value = (
            hidden_states @ part[head * size : (head + 1) * size].T
            + offset[head * size : (head + 1) * size]
            for part, offset in zip(weight.chunk(3), bias.chunk(3), strict=True)
        )
        scores = query @ key.transpose(1, 2) / size**0.5
        context = masked_softmax(scores, None if keep is None else keep[:, head]) @ value
        written = context @ state["output.weight"][:, head * size : (head + 1) * size].T
        result = result + written
    return result


def einsum_packed(hidden_states, state, num_attention_heads, mask=None):
    """Multi-head attention in three products of `einsum`."""
    sizes = (3, num_attention_heads, -1)
    weight = state["query_key_value.weight"].unflatten(0, sizes)
    bias = state["query_key_value.bias"].unflatten(0, sizes)
    query, key, value = (
        torch.einsum("bti,phdi->pbhtd", hidden_states, weight) + bias[:, None, :, None]
    )
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.size(-1) ** -0.5
    keep = None if mask is None else four_dimensions(mask, len(hidden_states)).expand_as(scores)
    matrix = state["output.weight"].unflatten(1, (num_attention_heads, -1))
    context = torch.einsum("bhqk,bhkd->bhqd", masked_softmax(scores, keep), value)
    return torch.einsum("bhqd,ohd->bqo", context, matrix) + state["output.bias"]


def fused_packed(hidden_states, state, num_attention_heads, mask=None):
    """Multi-head attention by PyTorch's fused function."""
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    parts = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    mask = None if mask is None else four_dimensions(mask, len(hidden_states))
    context = F.scaled_dot_product_attention(*parts, attn_mask=mask).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])


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
