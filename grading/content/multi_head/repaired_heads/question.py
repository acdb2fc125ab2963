"""Exercise 4, a bug hunt: multi-head attention with three bugs in nine lines."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F

from grading.check import gradient_of_each
from grading.content.drawing import normal, redrawn
from grading.content.multi_head.sections import COMMON
from grading.content.multi_head.shared import (
    draw_mask,
    draw_padding,
    draw_sizes,
    einsum_packed,
    fused_packed,
    loop_over_heads,
    packed_state,
)
from grading.exercise import Case, Part, Question


def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    """Multi-head self-attention in which padding takes no part: [batch, tokens, hidden]."""
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3 * num_attention_heads, head_size)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=1)
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])


def _repaired_cases(generator: torch.Generator) -> list[Case]:
    def case(
        title, part, heads=None, batch=None, empty=False, again=False, queries_of_zero=False,
        gradient=False,
    ):  # fmt: skip
        n_b, tokens, n_h, size = draw_sizes(generator)
        if again or heads == 6:  # lengths that differ: another order of sentences is another mask
            tokens, size = 5, 4
        elif batch is None and part != "corner":  # heads that would fit unmerged, keys unturned
            n_h, size = tokens, size if heads is None else tokens
        batch, heads = batch or n_b, heads or n_h
        # once between tokens, too
        is_padding = ~(draw_mask if again else draw_padding)(generator, batch, tokens)
        if empty:
            is_padding[-1 if gradient else slice(None)] = True
        elif batch == 1:
            is_padding[:] = False
        elif heads == 1:  # the first sentence is full, or the last one
            is_padding[-1 if again else 0] = False
            if again:  # padding at both ends, too
                is_padding[1] = torch.arange(tokens) % 2 == 0
            else:  # or in front
                is_padding = is_padding.flip(-1)
        hidden_states = normal(generator, batch, tokens, heads * size)
        state = packed_state(generator, heads * size, heads * size)
        if queries_of_zero:  # so that scores of the first token are exactly 0
            hidden_states[:, 0] = 0.0
            state["query_key_value.bias"][: heads * size] = 0.0
            state = dict(reversed(state.items()))  # its tensors have names, not places
        arguments = {
            "hidden_states": hidden_states,
            "is_padding": is_padding,
            "state": state,
            "num_attention_heads": heads,
        }
        calls = ()
        if again:
            others = {name: redrawn(generator, value) for name, value in arguments.items()}
            others["is_padding"] = torch.zeros_like(is_padding)  # none, then
            calls = (tuple(others.values()),)
        harness = gradient_of_each if gradient else None
        return Case(
            title, part, tuple(arguments.items()), gradient=gradient, again=calls, harness=harness
        )

    return [
        case(
            "a single head, padded sentences, some scores are 0",
            "core",
            heads=1,
            queries_of_zero=True,
        ),
        case(
            "a single head, called again with other numbers", "core", heads=1, batch=5, again=True
        ),
        case("as many heads as tokens", "heads"),
        case("as many heads as sentences", "heads", heads=6, batch=6),
        case("a batch of one, without padding", "heads", batch=1),
        case("nothing but padding in all sentences", "corner", heads=1, empty=True),
        case(
            "a sentence that is all padding, and gradients",
            "corner",
            heads=1,
            empty=True,
            gradient=True,
        ),
    ]


def _by_packed(implementation: Callable) -> Callable:
    def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
        return implementation(hidden_states, state, num_attention_heads, ~is_padding)

    return repaired_heads


def _by_hand(hidden_states, is_padding, state, num_attention_heads):
    """No function of PyTorch; the lowest float hides, and the zeros come after the softmax."""
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    by_head = packed.unflatten(-1, (3, num_attention_heads, -1))
    query, key, value = by_head.permute(2, 0, 3, 1, 4)
    keep = ~is_padding[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(-1) * keep
    context = (weights @ value).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])


def _library_heads(hidden_states, is_padding, state, num_attention_heads):
    empty = is_padding.all(-1)
    output, _ = F.multi_head_attention_forward(
        *[hidden_states.transpose(0, 1)] * 3,
        hidden_states.size(-1),
        num_attention_heads,
        state["query_key_value.weight"],
        state["query_key_value.bias"],
        None,
        None,
        False,
        0.0,
        state["output.weight"],
        state["output.bias"],
        key_padding_mask=is_padding & ~empty[:, None],
        need_weights=False,
    )
    return torch.where(empty[:, None, None], state["output.bias"], output.transpose(0, 1))


QUESTION = Question(
    id="repaired_heads",
    title="Bug hunt: three bugs in nine lines",
    signature="repaired_heads(hidden_states, is_padding, state, num_attention_heads)",
    reference=repaired_heads,
    cases=_repaired_cases,
    parts=(
        Part("core", "padding takes no part (seen with a single head)", 1),
        Part("heads", "many heads, with weights in the given layout", 1),
        Part("corner", "nothing but padding; gradients", 1),
    ),
    minutes=15,
    difficulty=2,
    section=COMMON,
    alternatives={
        "fused": _by_packed(fused_packed),
        "loop over heads": _by_packed(loop_over_heads),
        "einsum": _by_packed(einsum_packed),
        "by hand, lowest float": _by_hand,
        "PyTorch's function for all of it": _library_heads,
    },
)
