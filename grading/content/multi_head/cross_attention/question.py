"""Exercise 3: a module of heads that look at the tokens of another text."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from grading import check
from grading.content.drawing import normal, redrawn
from grading.content.multi_head import harnesses
from grading.content.multi_head.sections import CROSS
from grading.content.multi_head.shared import (
    draw_linear,
    draw_mask,
    draw_padding,
    draw_sizes,
    masked_softmax,
)
from grading.exercise import Case, Part, Question


class CrossAttention(nn.Module):
    """Every token of a text looks at the tokens of a source."""

    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split(self, states):
        """Cut vectors into heads: [batch, heads, tokens, head_size]."""
        return states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        """Output [batch, target, hidden_size], weights [batch, heads, target, source]."""
        query = self.split(self.query(hidden_states))
        key = self.split(self.key(source_states))
        value = self.split(self.value(source_states))
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is not None:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~keep & ~empty, -math.inf)
        weights = scores.softmax(dim=-1)
        if source_mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        context = self.dropout(weights) @ value
        context = context.transpose(1, 2).flatten(2)
        return self.output(context), weights


def _cross_cases(generator: torch.Generator) -> list[Case]:
    def case(
        title, part, harness, alike=False, mask=None, dropout=0.0, batch=None, targets=None,
        sources=7, heads=None, zeros=False, also=None, also_dropout=0.0, equal=None,
    ):  # fmt: skip
        n_b, n_t, n_h, size = draw_sizes(generator)
        heads = heads or n_h
        if harness is harnesses.gradients_in_both_modes:  # those of all weights are large enough
            heads, size = 2, 3
        if harness is harnesses.dropped_weights:
            heads, size = 3, 2 * sources
        if equal == "target":  # heads that would fit unmerged, keys that would fit unturned
            heads, size = n_t, sources
        elif equal == "batch":  # a mask that would fit the heads as it is
            heads = n_b
        batch, targets, hidden = batch or n_b, targets or n_t, heads * size
        sources, source_size = (targets, hidden) if alike else (sources, hidden + 3)
        state = {
            **draw_linear(generator, "query", hidden, hidden),
            **draw_linear(generator, "key", hidden, source_size),
            **draw_linear(generator, "value", hidden, source_size),
            **draw_linear(generator, "output", hidden, hidden),
        }
        inputs = [
            normal(generator, batch, targets, hidden),
            normal(generator, batch, sources, source_size),
        ]
        if harness is harnesses.dropped_weights:
            # What the heads bring is the output, and shows the weights one by one: the value of
            # source token j is 1 at j and at sources + j, and 0 elsewhere.
            state["output.weight"], state["output.bias"] = torch.eye(hidden), torch.zeros(hidden)
            state["value.weight"] = torch.eye(hidden, source_size)
            state["value.bias"] = torch.zeros(hidden)
            inputs[1][..., :hidden] = torch.eye(sources).repeat(1, hidden // sources)
        if zeros:  # scores of the first token are exactly 0, and one of the source is no padding
            inputs[0][:, 0], inputs[1][:, 0], state["query.bias"] = 0.0, 0.0, torch.zeros(hidden)
        if mask is not None:
            inputs.append(mask(batch, sources))
        rate = [] if dropout is None else [dropout]
        arguments = (
            ("init", [hidden, source_size, heads, *rate]),
            ("state", state),
            ("inputs", inputs),
        )
        if harness is harnesses.outputs_of_two:
            arguments += (
                ("others", redrawn(generator, inputs)),
                ("other_state", redrawn(generator, state)),
            )
            return Case(title, part, arguments, harness=harness, repeats=True)
        again = (
            ()
            if also is None
            else (([hidden, source_size, heads, also_dropout], state, also(inputs)),)
        )
        return Case(title, part, arguments, harness=harness, again=again)

    def padding(batch, sources):
        return draw_padding(generator, batch, sources)

    def full(batch, sources):
        return torch.ones(batch, sources, dtype=torch.bool)

    def first_full(batch, sources):
        mask = padding(batch, sources)
        mask[0] = True
        return mask

    def last_full(batch, sources):
        return first_full(batch, sources).flip(0)

    def holes(batch, sources):
        return draw_mask(generator, batch, sources)

    def empty(batch, sources):
        mask = padding(batch, sources)
        mask[-1] = False
        return mask

    return [
        case(
            "no mask, as many heads as target tokens", "core", harnesses.output_of, equal="target"
        ),
        case(
            "padding in the source, as many heads as sentences",
            "core",
            harnesses.output_of,
            mask=first_full,
            equal="batch",
        ),
        case(
            "a batch of one, a single head, a mask without padding",
            "core",
            harnesses.output_of,
            mask=full,
            batch=1,
            heads=1,
        ),
        case(
            "a target of one token, whose scores are 0",
            "core",
            harnesses.output_of,
            mask=last_full,
            targets=1,
            zeros=True,
        ),
        case(
            "called again, another module beside it, other weights loaded",
            "core",
            harnesses.outputs_of_two,
            mask=holes,
            batch=6,
            targets=6,  # a mask that would fit the scores of a head as it is
        ),
        case(
            "output and weights, one sentence, head and token",
            "weights",
            check.run_module,
            batch=1,
            heads=1,
            targets=1,
        ),
        case("output and weights, padding", "weights", check.run_module, mask=padding),
        case("a source as long and wide as the target", "corner", harnesses.output_of, alike=True),
        case(
            "a source that is all padding, then all of them",
            "corner",
            harnesses.output_of,
            alike=True,
            mask=empty,
            also=lambda inputs: [*inputs[:2], torch.zeros_like(inputs[2])],
        ),
        case("its weights", "corner", harnesses.weights_of_padding, alike=True, mask=empty),
        case("NaN in its gradients", "corner", harnesses.nan_in_gradients, alike=True, mask=empty),
        case(
            "in evaluation, with dropout, with a mask and without",
            "trained",
            harnesses.output_of,
            mask=padding,
            dropout=1.0,
            also=lambda inputs: inputs[:2],
            also_dropout=0.3,
        ),
        case(
            "gradients of all parameters",
            "trained",
            harnesses.gradients_in_both_modes,
            mask=padding,
        ),
        case(
            "in training, no rate given: 0", "trained", harnesses.output_in_training, dropout=None
        ),
        case(
            "in training, with dropout 1",
            "trained",
            harnesses.output_in_training,
            mask=padding,
            dropout=1.0,
        ),
        case(
            "the weights in training",
            "trained",
            harnesses.weights_moved_by_dropout,
            mask=padding,
            dropout=0.3,
        ),
        case(
            "in training, weight by weight",
            "trained",
            harnesses.dropped_weights,
            dropout=0.3,
            batch=2,
            targets=50,
            sources=2,
        ),
    ]


class _EinsumCross(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.heads = num_attention_heads
        for name, size in (("query", hidden_size), ("key", source_size), ("value", source_size)):
            self.add_module(name, nn.Linear(size, hidden_size))
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden_states, source_states, source_mask=None):
        query, key, value = (
            linear(x).unflatten(-1, (self.heads, -1))
            for linear, x in (
                (self.query, hidden_states),
                (self.key, source_states),
                (self.value, source_states),
            )
        )
        scores = torch.einsum("bqhd,bkhd->bhqk", query, key) * query.size(-1) ** -0.5
        keep = None if source_mask is None else source_mask[:, None, None, :].bool()
        weights = masked_softmax(scores, keep)
        context = torch.einsum("bhqk,bkhd->bqhd", self.dropout(weights), value)
        return self.output(context.flatten(2)), weights


class _Parameters(nn.Module):
    """A linear layer of one's own."""

    def __init__(self, into, out):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(out, into))
        self.bias = nn.Parameter(torch.zeros(out))

    def forward(self, x):
        return torch.matmul(x, self.weight.t()) + self.bias


class _LoopCross(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.size, self.dropout = hidden_size // num_attention_heads, dropout
        self.query, self.output = (_Parameters(hidden_size, hidden_size) for _ in range(2))
        self.key, self.value = (_Parameters(source_size, hidden_size) for _ in range(2))

    def forward(self, hidden_states, source_states, source_mask=None):
        keep = None if source_mask is None else source_mask.unsqueeze(1)
        parts = (self.query(hidden_states), self.key(source_states), self.value(source_states))
        contexts, maps = [], []
        for query, key, value in zip(*(p.split(self.size, dim=-1) for p in parts), strict=True):
            maps.append(masked_softmax(torch.bmm(query, key.mT) / math.sqrt(self.size), keep))
            contexts.append(F.dropout(maps[-1], self.dropout, self.training) @ value)
        return self.output(torch.cat(contexts, dim=-1)), torch.stack(maps, dim=1)


class _LibraryCross(_EinsumCross):
    """PyTorch's function for the whole, which weights are asked of."""

    def forward(self, hidden_states, source_states, source_mask=None):
        if self.training:  # where it returns weights after dropout
            return super().forward(hidden_states, source_states, source_mask)
        empty = None if source_mask is None else ~source_mask.any(-1)
        hide = None if source_mask is None else ~source_mask & ~empty[:, None]
        output, weights = F.multi_head_attention_forward(
            hidden_states.transpose(0, 1),
            source_states.transpose(0, 1),
            source_states.transpose(0, 1),
            hidden_states.size(-1),
            self.heads,
            None,
            torch.cat([self.query.bias, self.key.bias, self.value.bias]),
            None,
            None,
            False,
            0.0,
            self.output.weight,
            torch.zeros_like(self.output.bias),
            training=False,
            key_padding_mask=hide,
            use_separate_proj_weight=True,
            q_proj_weight=self.query.weight,
            k_proj_weight=self.key.weight,
            v_proj_weight=self.value.weight,
            average_attn_weights=False,
        )
        output = output.transpose(0, 1)
        if empty is not None:
            output = output.masked_fill(empty[:, None, None], 0.0)
            weights = weights.masked_fill(empty[:, None, None, None], 0.0)
        return output + self.output.bias, weights


class _DoubleCross(_EinsumCross):
    def forward(self, hidden_states, source_states, source_mask=None):
        states = {name: tensor.double() for name, tensor in self.named_parameters()}
        return tuple(
            part.float()
            for part in torch.func.functional_call(
                _EinsumView(self),
                states,
                (hidden_states.double(), source_states.double(), source_mask),
            )
        )


class _EinsumView(nn.Module):
    """The einsum module's own forward on another module's parts."""

    def __init__(self, module):
        super().__init__()
        self.query, self.key, self.value = module.query, module.key, module.value
        self.output, self.dropout, self.heads = module.output, module.dropout, module.heads

    forward = _EinsumCross.forward


QUESTION = Question(
    id="CrossAttention",
    title="Look into another text",
    signature="class CrossAttention(hidden_size, source_size, num_attention_heads, dropout=0.0)",
    reference=CrossAttention,
    cases=_cross_cases,
    parts=(
        Part("core", "the output, with and without padding in the source", 2),
        Part("weights", "the attention weights of every head", 1),
        Part("corner", "a source like the target; a source that is all padding", 1),
        Part("trained", "gradients reach all parameters; dropout while training", 1),
    ),
    minutes=40,
    difficulty=3,
    section=CROSS,
    alternatives={
        "einsum": _EinsumCross,
        "loop over heads, linear layers of its own": _LoopCross,
        "PyTorch's function": _LibraryCross,
        "in float64": _DoubleCross,
    },
)
