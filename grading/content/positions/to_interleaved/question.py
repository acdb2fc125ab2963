"""Exercise 3 of assignment 5: weights for half-split positions made ready for interleaved ones."""

from __future__ import annotations

import torch

from grading.content.drawing import one_of
from grading.content.positions import harnesses
from grading.content.positions.sections import CONVENTIONS
from grading.content.positions.shared import draw_position_ids, normal
from grading.exercise import Case, Part, Question


def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    """Return weights for interleaved positions, made from those for half-split ones."""
    new = dict(state)
    for layer, heads in [("query", num_attention_heads), ("key", num_key_value_heads)]:
        for name in (f"{layer}.weight", f"{layer}.bias"):
            if name in state:
                rows = state[name].unflatten(0, (heads, -1))  # [heads, head_size, ...]
                order = torch.arange(rows.size(1))
                order[:rotary_size] = order[:rotary_size].view(2, -1).T.flatten()
                new[name] = rows[:, order].flatten(0, 1)
    return new


def _conversion_cases(generator: torch.Generator) -> list[Case]:
    def draw(heads, key_heads, head_size, rotary_size, hidden, bias=False):
        rows = {"query": heads, "key": key_heads, "value": key_heads}
        state = {}
        for name, count in rows.items():
            state[f"{name}.weight"] = normal(generator, count * head_size, hidden, size=0.6)
            if bias:
                state[f"{name}.bias"] = normal(generator, count * head_size, size=0.6)
        state["output.weight"] = normal(generator, hidden, heads * head_size, size=0.6)
        if bias:
            state["output.bias"] = normal(generator, hidden, size=0.6)
        return (
            ("state", state),
            ("num_attention_heads", heads),
            ("num_key_value_heads", key_heads),
            ("rotary_size", rotary_size),
        )

    def law(title, part, heads, key_heads, head_size, bias=False):
        arguments = draw(heads, key_heads, head_size, head_size, 5, bias)
        more = (
            ("hidden_states", normal(generator, 4, 5)),
            ("position_ids", draw_position_ids(generator, 1, 4)[0]),
        )
        return Case(title, part, (*arguments, *more), harness=harnesses.scores_of_weights)

    half = one_of(generator, 3, 5)
    other = one_of(generator, 14, 15)  # the rest is longer than the part that turns
    first = draw(2, 1, 4, 4, 8)  # as wide as all query heads together
    other_weights = tuple(value for _, value in draw(2, 1, 4, 4, 8))
    return [
        Case("as many key heads as query heads", "core", draw(2, 2, 2 * half, 2 * half, 8)),
        Case("fewer key heads", "core", draw(4, 2, 8, 8, 16), strided=True),
        Case("one head of each, a hidden size of 1", "core", draw(1, 1, 6, 6, 1)),
        Case("called again, other weights", "core", first, again=(other_weights,)),
        law("attention scores before and after", "core", 4, 2, 8),
        Case("with biases", "bias", draw(2, 1, 8, 8, 6, bias=True)),
        law("scores with biases before and after", "bias", 2, 1, 8, bias=True),
        Case("a part of each head", "partial", draw(2, 2, other, 6, 8)),
        # heads as large as in another case, of which another part turns
        Case("a larger part, one key head", "partial", draw(4, 1, 8, 6, 7)),
        Case(
            "a part of each head, with biases",
            "partial",
            draw(2, 1, 12, 4, 6, bias=True),
            harness=harnesses.biases_of_a_part,
        ),
    ]


def _axes_conversion(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = dict(state)
    for name, tensor in state.items():
        heads = {"query": num_attention_heads, "key": num_key_value_heads}.get(name.split(".")[0])
        if heads:
            rows = tensor.unflatten(0, (heads, -1))
            part, rest = rows[:, :rotary_size], rows[:, rotary_size:]
            part = part.unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)
            new[name] = torch.cat([part, rest], dim=1).flatten(0, 1)
    return new


def _index_conversion(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = {name: tensor.clone() for name, tensor in state.items()}
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        for kind in ("weight", "bias"):
            old = state.get(f"{layer}.{kind}")
            if old is None:
                continue
            head_size = len(old) // heads
            for head in range(heads):
                for i in range(rotary_size // 2):
                    start = head * head_size
                    new[f"{layer}.{kind}"][start + 2 * i] = old[start + i]
                    new[f"{layer}.{kind}"][start + 2 * i + 1] = old[start + i + rotary_size // 2]
    return new


def _matrix_conversion(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        rows = state[f"{layer}.weight"].shape[0]
        head_size = rows // heads
        order = list(range(head_size))
        order[0:rotary_size:2] = range(rotary_size // 2)
        order[1:rotary_size:2] = range(rotary_size // 2, rotary_size)
        matrix = torch.block_diag(*[torch.eye(head_size)[order]] * heads)
        for name in (f"{layer}.weight", f"{layer}.bias"):
            if name in new:
                new[name] = matrix @ new[name]
    return new


def _slice_conversion(state, num_attention_heads, num_key_value_heads, rotary_size):
    def convert(tensor, heads):
        old = tensor.view(heads, tensor.size(0) // heads, -1)
        new = old.clone()
        new[:, 0:rotary_size:2] = old[:, : rotary_size // 2]
        new[:, 1:rotary_size:2] = old[:, rotary_size // 2 : rotary_size]
        return new.reshape(tensor.shape)

    heads = {"query": num_attention_heads, "key": num_key_value_heads}
    return {
        name: convert(tensor.contiguous(), heads[name[: name.index(".")]])
        if name.startswith(("query", "key"))
        else tensor
        for name, tensor in state.items()
    }


def _sorted_conversion(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = {}
    for name, tensor in state.items():
        if name[0] in "qk":
            heads = num_attention_heads if name[0] == "q" else num_key_value_heads
            size = tensor.size(0) // heads
            row = torch.arange(tensor.size(0))
            place, half = row % size, rotary_size // 2
            turned = place < rotary_size
            target = torch.where(turned, 2 * (place % half) + place // half, place)
            tensor = tensor.index_select(0, (row - place + target).argsort())
        new[name] = tensor
    return new


QUESTION = Question(
    id="to_interleaved",
    title="Weights for the other convention",
    signature="to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size)",
    reference=to_interleaved,
    cases=_conversion_cases,
    parts=(
        Part("core", "the weights of queries and keys", 2),
        Part("bias", "their biases", 1),
        Part("partial", "heads of which only a part turns", 1),
    ),
    minutes=20,
    difficulty=3,
    section=CONVENTIONS,
    alternatives={
        "two axes exchanged": _axes_conversion,
        "row by row": _index_conversion,
        "permutation matrices": _matrix_conversion,
        "slices": _slice_conversion,
        "sorted targets": _sorted_conversion,
    },
)
