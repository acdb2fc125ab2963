"""Exercise 4, a bug hunt: a stack of PyTorch's encoder layers with five bugs."""

from __future__ import annotations

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from grading.content.drawing import normal, one_of
from grading.content.encoder import harnesses
from grading.content.encoder.sections import STACK
from grading.content.encoder.shared import draw_lengths, real_tokens
from grading.exercise import Case, Part, Question


class RepairedEncoder(nn.Module):
    """PyTorch's layers in a stack: post-norm, or pre-norm with a final norm."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.TransformerEncoderLayer(
                hidden_size,
                num_heads,
                width,
                activation="gelu",
                batch_first=True,
                norm_first=pre_norm,
            )
            self.layers.append(layer)
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)
        else:
            self.final_norm = nn.Identity()

    def forward(self, x, attention_mask=None):
        """Return the hidden states behind the last layer, ``[batch, tokens, hidden_size]``."""
        if attention_mask is not None:
            attention_mask = ~attention_mask.bool()  # True hides a key
        hidden_states = [x]
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=attention_mask)
            hidden_states.append(x)
        return self.final_norm(hidden_states[-1])


def _stack_cases(generator: torch.Generator) -> list[Case]:
    def draw(layers, pre_norm, batch=3, tokens=5, padded=True, small=False, even=False):
        shapes = [(2, 3), (2, 4)] if even else [(2, 3), (3, 2), (2, 4)]
        heads, size = one_of(generator, *shapes)
        hidden = heads * size
        width = hidden + 5
        state = {}

        def add(name, *shape, size, middle=0.0):
            state[name] = middle + normal(generator, *shape, size=size)

        def add_norm(name):
            add(f"{name}.weight", hidden, size=0.3, middle=1.2)
            add(f"{name}.bias", hidden, size=0.5)

        for i in range(layers):
            start = f"layers.{i}"
            # small, so that no norm divides by so little that rounding shows (PyTorch's fast path)
            scale = 0.7 / math.sqrt(hidden)
            add(f"{start}.self_attn.in_proj_weight", 3 * hidden, hidden, size=1.3 * scale)
            add(f"{start}.self_attn.in_proj_bias", 3 * hidden, size=0.4)
            add(f"{start}.self_attn.out_proj.weight", hidden, hidden, size=scale)
            add(f"{start}.self_attn.out_proj.bias", hidden, size=0.4)
            add(f"{start}.linear1.weight", width, hidden, size=scale)
            add(f"{start}.linear1.bias", width, size=0.4)
            add(f"{start}.linear2.weight", hidden, width, size=scale)
            add(f"{start}.linear2.bias", hidden, size=0.4)
            add_norm(f"{start}.norm1")
            add_norm(f"{start}.norm2")
        if pre_norm:
            add_norm("final_norm")
        x = normal(generator, batch, tokens, hidden, size=1.5)
        if small:  # variances about as small as ε
            x = x / 500
            for name in state:
                if "out_proj" in name or "linear2" in name:
                    state[name] = state[name] / 500
        mask = None
        if padded:
            if batch == tokens:
                lengths = torch.arange(1, tokens + 1).roll(one_of(generator, 1, 2))
            else:
                lengths = draw_lengths(generator, batch, tokens)
            mask = real_tokens(lengths, tokens, left=False).long()
        return [hidden, heads, width, layers, pre_norm], state, x, mask

    def case(title, part, drawn, harness=harnesses.at_real_tokens):
        names = ("init", "state", "x", "attention_mask")
        return Case(title, part, tuple(zip(names, drawn, strict=True)), harness=harness)

    def again(pre_norm):
        first = draw(2, pre_norm, batch=2, tokens=7)
        init, state, x, mask = first
        hidden, heads = init[:2]
        while True:  # weights of the same shapes
            other_init, other_state, other_x, other_mask = draw(2, pre_norm, batch=2, tokens=7)
            if other_init[:2] == [hidden, heads]:
                break
        names = ("init", "state", "x", "attention_mask", "others", "other_state")
        values = (init, state, x, mask, [other_x, other_mask], other_state)
        return tuple(zip(names, values, strict=True))

    left = draw(1, False, batch=1, tokens=4)
    left[-1].copy_(left[-1].flip(-1))
    tiny = draw(1, False, batch=1, tokens=1, padded=False, small=True)
    small = draw(1, True, batch=1, tokens=3, small=True)
    small[-1][:] = 1  # nothing is padded
    padded = draw(3, False, even=True)
    padded[-1][-1] = 1
    whole = draw(2, False, batch=4, tokens=4)  # one of the texts has no padding
    whole[-1][-2:] = whole[-1][-2:].flip(-1)  # neither is the one without padding
    return [
        case("three layers, without a mask", "core", draw(3, False, batch=2, padded=False)),
        case(
            "three layers, a padded batch, under `torch.no_grad()`",
            "core",
            padded,
            harnesses.without_gradients,
        ),
        case("one layer, a batch of one, padding on the left", "core", left),
        case("very small numbers, one token", "core", tiny),
        case("as many texts as tokens, padding on either side, one without", "core", whole),
        case(
            "other numbers in the rows of padding",
            "core",
            draw(2, False, tokens=6),
            harnesses.change_padding,
        ),
        Case(
            "called again, and another stack",
            "core",
            again(False),
            harness=harnesses.stacks_again,
            repeats=True,
        ),
        case("pre-norm, without a mask", "pre", draw(3, True, batch=2, padded=False)),
        case("pre-norm, a padded batch", "pre", draw(2, True, tokens=4)),
        case("pre-norm, very small numbers, nothing padded", "pre", small),
        case(
            "gradients, with a mask and without",
            "trained",
            draw(2, False, batch=2, tokens=4),
            harnesses.gradients_of_stack,
        ),
    ]


class _ByHand(nn.Module):
    """Every sublayer by hand; only the parameters are PyTorch's."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.Module()
            layer.self_attn = nn.MultiheadAttention(hidden_size, num_heads)
            layer.linear1 = nn.Linear(hidden_size, width)
            layer.linear2 = nn.Linear(width, hidden_size)
            layer.norm1, layer.norm2 = nn.LayerNorm(hidden_size), nn.LayerNorm(hidden_size)
            self.layers.append(layer)
        self.heads, self.pre_norm = num_heads, pre_norm
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def attend(self, attention, x, mask):
        packed = F.linear(x, attention.in_proj_weight, attention.in_proj_bias)
        query, key, value = packed.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = query @ key.mT / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores + (1 - mask[:, None, None].to(scores.dtype)) * -1e9
        return attention.out_proj((scores.softmax(-1) @ value).transpose(1, 2).flatten(2))

    def forward(self, x, attention_mask=None):
        for layer in self.layers:
            if self.pre_norm:
                x = x + self.attend(layer.self_attn, layer.norm1(x), attention_mask)
                x = x + layer.linear2(F.gelu(layer.linear1(layer.norm2(x))))
            else:
                x = layer.norm1(x + self.attend(layer.self_attn, x, attention_mask))
                x = layer.norm2(x + layer.linear2(F.gelu(layer.linear1(x))))
        return self.final_norm(x) if self.pre_norm else x


class _CopiedLayers(nn.Module):
    """PyTorch's stack, from which the layers are taken; the mask as numbers to add."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            hidden_size, num_heads, width, activation=nn.GELU(), norm_first=pre_norm
        )  # time first
        self.layers = nn.TransformerEncoder(layer, num_layers, enable_nested_tensor=False).layers
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else None

    def forward(self, x, attention_mask=None):
        mask = None
        if attention_mask is not None:
            mask = torch.zeros(attention_mask.shape).masked_fill(attention_mask == 0, -math.inf)
        x = x.transpose(0, 1)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        x = x.transpose(0, 1)
        return x if self.final_norm is None else self.final_norm(x)


class _OfPyTorch(nn.Module):
    """`nn.TransformerEncoder` itself does the loop and the final norm."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            copy.deepcopy(
                nn.TransformerEncoderLayer(
                    hidden_size, num_heads, width, 0.0, "gelu", batch_first=True,
                    norm_first=pre_norm,
                )
            )
            for _ in range(num_layers)
        )  # fmt: skip
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else None

    def forward(self, x, attention_mask=None):
        stack = nn.TransformerEncoder(self.layers[0], 0, self.final_norm, False)
        stack.layers, stack.num_layers = self.layers, len(self.layers)
        stack.train(self.training)
        padding = None if attention_mask is None else attention_mask.logical_not()
        return stack(x, src_key_padding_mask=padding)


class _TextByText(_OfPyTorch):
    """Each text alone, without its padding."""

    def forward(self, x, attention_mask=None):
        if attention_mask is None:
            return super().forward(x)
        output = torch.zeros_like(x)
        for b, real in enumerate(attention_mask.bool()):
            output[b, real] = super().forward(x[b : b + 1, real])[0]
        return output


QUESTION = Question(
    id="RepairedEncoder",
    title="Bug hunt: a stack that forgets",
    signature="class RepairedEncoder(hidden_size, num_heads, width, num_layers, pre_norm)",
    reference=RepairedEncoder,
    cases=_stack_cases,
    parts=(
        Part("core", "the post-norm stack, with a mask and without", 2),
        Part("pre", "the pre-norm stack", 1),
        Part("trained", "gradients for every parameter", 1),
    ),
    minutes=15,
    difficulty=2,
    section=STACK,
    alternatives={
        "by hand": _ByHand,
        "layers of PyTorch's stack, time first, mask to add": _CopiedLayers,
        "text by text, without padding": _TextByText,
        "run by PyTorch's stack": _OfPyTorch,
    },
)
