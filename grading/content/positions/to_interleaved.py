"""Weights for the other convention."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from grading.content.drawing import one_of
from grading.content.positions import harnesses
from grading.content.positions.sections import CONVENTIONS
from grading.content.positions.shared import Made, draw_position_ids, normal
from grading.exercise import Case, Exercise, Mistake, Part


def _to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = dict(state)
    for name, tensor in state.items():
        heads = {"query": num_attention_heads, "key": num_key_value_heads}.get(name.split(".")[0])
        if heads:
            rows = tensor.unflatten(0, (heads, -1))
            part, rest = rows[:, :rotary_size], rows[:, rotary_size:]
            part = part.unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)
            new[name] = torch.cat([part, rest], dim=1).flatten(0, 1)
    return new


def _order(head_size: int, rotary_size: int, made: Made) -> Tensor:
    """Say which row of a head comes where."""
    size = head_size - head_size % 2 if "whole_head" in made else rotary_size
    size = min(size, head_size)  # where rows were split into too many heads
    pairs = torch.arange(size)
    if "direction" in made:
        order = pairs.view(-1, 2).T.flatten()
    elif "partners_exchanged" in made:
        order = pairs.view(2, -1).flip(0).T.flatten()
    elif "mirrored" in made:
        order = torch.stack([pairs[: size // 2], pairs.flip(0)[: size // 2]], dim=-1).flatten()
    else:
        order = pairs.view(2, -1).T.flatten()
    if "last_part" in made:
        start = head_size - size
        return torch.cat([torch.arange(start), order + start])
    return torch.cat([order, torch.arange(size, head_size)])


def _conversion(made: Made) -> Callable:
    def implementation(state, num_attention_heads, num_key_value_heads, rotary_size):
        new = {}
        for name, tensor in state.items():
            layer, kind = name.split(".")
            heads = num_attention_heads if layer == "query" else num_key_value_heads
            if "query_heads_for_keys" in made:
                heads = num_attention_heads
            kept = (
                layer == "output"
                or (layer == "value" and "values_too" not in made)
                or (layer == "key" and "key_forgotten" in made)
                or (layer == "query" and "query_forgotten" in made)
                or (kind == "bias" and "bias_forgotten" in made)
            )
            if kept:
                if "rest_lost" not in made:
                    new[name] = tensor
                continue
            head_size = tensor.size(0) // heads
            order = _order(head_size, rotary_size, made)
            if "heads_inside" in made:
                rows = tensor.unflatten(0, (head_size, heads))
                new[name] = rows[order].flatten(0, 1)
            elif "not_by_head" in made:
                order = _order(tensor.size(0), tensor.size(0), made)
                new[name] = tensor[order]
            else:
                new[name] = tensor.unflatten(0, (heads, head_size))[:, order].flatten(0, 1)
        return new

    return implementation


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
    other = one_of(generator, 10, 11)
    return [
        Case("as many key heads as query heads", "core", draw(2, 2, 2 * half, 2 * half, 3)),
        Case("fewer key heads", "core", draw(4, 2, 8, 8, 2), strided=True),
        Case("one head of each", "core", draw(1, 1, 6, 6, 3)),
        law("attention scores before and after", "core", 4, 2, 8),
        Case("with biases", "bias", draw(2, 1, 8, 8, 3, bias=True)),
        law("scores with biases before and after", "bias", 2, 1, 8, bias=True),
        Case("a part of each head", "partial", draw(2, 2, other, 6, 2)),
        Case("a larger part", "partial", draw(2, 2, 12, 8, 3)),
    ]


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


def _columns(state, num_attention_heads, num_key_value_heads, rotary_size):
    """Reorder columns instead of rows, of weights; a bias has nothing but rows."""
    new = _to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size)
    for name in ("query.weight", "key.weight"):
        size = state[name].size(1) // 2 * 2
        new[name] = state[name][:, _order(state[name].size(1), size, frozenset())]
    return new


def _in_place_conversion(state, *rest):
    state.update(_to_interleaved(state, *rest))
    return state


def _copied_conversion(state, *rest):
    for name, tensor in _to_interleaved(state, *rest).items():
        state[name].copy_(tensor)
    return dict(state)


def _overwriting_loop(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = {name: tensor.clone() for name, tensor in state.items()}
    for name, rows in new.items():
        if name[0] in "qk":
            heads = num_attention_heads if name[0] == "q" else num_key_value_heads
            for start in range(0, rows.size(0), rows.size(0) // heads):
                for i in range(rotary_size // 2):
                    rows[start + 2 * i] = rows[start + i].clone()
                    rows[start + 2 * i + 1] = rows[start + i + rotary_size // 2].clone()
    return new


def _first_head_only(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = dict(state)
    for name, rows in state.items():
        if name[0] in "qk":
            new[name] = rows[_order(rows.size(0), rotary_size, frozenset())]
    return new


def _last_pair_left(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = _to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size)
    for name, rows in new.items():
        if name[0] in "qk":
            heads = num_attention_heads if name[0] == "q" else num_key_value_heads
            size = rows.size(0) // heads
            last = [
                start + rotary_size - k for start in range(0, rows.size(0), size) for k in (1, 2)
            ]
            rows[last] = state[name][last]
    return new


def _as_many_key_heads(state, num_attention_heads, num_key_value_heads, rotary_size):
    if num_attention_heads != num_key_value_heads:
        raise IndexError("There are fewer rows of keys.")
    return _to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size)


def _rest_first(state, heads, key_heads, rotary_size):
    new = _to_interleaved(state, heads, key_heads, rotary_size)
    for name, rows in new.items():
        if name[0] in "qk":
            by_head = rows.unflatten(0, (heads if name[0] == "q" else key_heads, -1))
            new[name] = by_head.roll(-rotary_size, dims=1).flatten(0, 1)
    return new


def _needs_bias(state, *rest):
    for layer in ("query", "key"):
        state[f"{layer}.bias"]
    return _to_interleaved(state, *rest)


EXERCISE = Exercise(
    id="to_interleaved",
    title="Weights for the other convention",
    signature="to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size)",
    reference=_to_interleaved,
    cases=_conversion_cases,
    parts=(
        Part("core", "the weights of queries and keys", 2),
        Part("bias", "their biases", 1),
        Part("partial", "heads of which only a part turns", 1),
    ),
    minutes=20,
    difficulty=3,
    section=CONVENTIONS,
    variant=_conversion,
    alternatives={
        "step by step": _conversion(frozenset()),
        "row by row": _index_conversion,
        "permutation matrices": _matrix_conversion,
        "slices": _slice_conversion,
        "sorted targets": _sorted_conversion,
    },
    mistakes=(
        Mistake(
            "direction",
            "This is the way back, from interleaved to half-split. Here the rows come from the two "
            "halves and go to neighbouring places: row i to 2i, row i + rotary_size/2 to 2i + 1.",
        ),
        Mistake(
            "not_by_head",
            "The rows are reordered across all heads at once; each head has its own halves.",
        ),
        Mistake(
            "heads_inside",
            "The rows are split as [head_size, heads]; the heads lie one after the other, "
            "[heads, head_size].",
            _conversion(frozenset({"heads_inside"})),
        ),
        Mistake(
            "query_heads_for_keys",
            "The rows of the keys are split by the number of query heads; keys have "
            "`num_key_value_heads`.",
        ),
        Mistake(
            "key_heads_for_queries",
            "The rows of the queries are split by the number of key heads; queries have "
            "`num_attention_heads`.",
            lambda state, heads, key_heads, size: _to_interleaved(
                state, key_heads, key_heads, size
            ),
        ),
        Mistake(
            "as_many_key_heads",
            "It fails where keys have fewer heads than queries: split the rows of the keys by "
            "`num_key_value_heads`.",
            _as_many_key_heads,
            any_error=True,
        ),
        Mistake(
            "rest_first",
            "Where only a part of each head turns, the rows that are not turned come first; they "
            "stay behind the reordered ones.",
            _rest_first,
            points=3,
        ),
        Mistake(
            "partners_exchanged",
            "The two partners of each pair are exchanged: the number of the first half comes "
            "first, the one of the second half after it.",
        ),
        Mistake(
            "mirrored",
            "The second half was taken backwards: row i was paired with row rotary_size − 1 − i; "
            "its partner is row i + rotary_size/2.",
            _conversion(frozenset({"mirrored"})),
        ),
        Mistake("key_forgotten", "The keys are as they were; reorder them like the queries."),
        Mistake("query_forgotten", "The queries are as they were; reorder them like the keys."),
        Mistake(
            "values_too",
            "The values are reordered, too. They are not turned, and what is built on them expects "
            "the old order.",
            section="“In attention: query and key, not value” in chapter 5",
        ),
        Mistake(
            "rest_lost",
            "Only what was reordered comes back; values and output must be in the new dictionary, "
            "unchanged.",
            _conversion(frozenset({"rest_lost"})),
        ),
        Mistake(
            "bias_forgotten",
            "The biases of queries and keys are as they were. A bias is added to the rows' "
            "results, so it needs the same new order.",
            points=3,
        ),
        Mistake(
            "whole_head",
            "All rows of each head are reordered; only the first `rotary_size` rows are turned, "
            "the others must stay where they are.",
            points=3,
        ),
        Mistake(
            "last_part",
            "The last `rotary_size` rows of each head are reordered; the first ones are turned.",
            points=3,
        ),
        Mistake(
            "columns",
            "The columns of the weights are reordered; they belong to the hidden state that comes "
            "in. A head's numbers are rows.",
            _columns,
        ),
        Mistake(
            "nothing",
            "All weights came back as they were given; nothing is reordered.",
            lambda state, *rest: dict(state),
        ),
        Mistake(
            "transposed",
            "The reordered weights came back transposed; keep [rows, hidden_size].",
            lambda state, *rest: {
                name: tensor.T.contiguous() if name in ("query.weight", "key.weight") else tensor
                for name, tensor in _to_interleaved(state, *rest).items()
            },
        ),
        Mistake(
            "output_too",
            "The columns of the output projection are reordered, too. They belong to the values, "
            "which keep their order.",
            lambda state, heads, *rest: {
                **_to_interleaved(state, heads, *rest),
                "output.weight": _to_interleaved(
                    {"query.weight": state["output.weight"].T}, heads, *rest
                )["query.weight"].T.contiguous(),
            },
        ),
        Mistake(
            "split_by_head",
            "The weights came back split by head, with one dimension more; join the heads again.",
            lambda state, heads, key_heads, size: {
                name: tensor.unflatten(0, (heads if name[0] == "q" else key_heads, -1))
                if name[0] in "qk"
                else tensor
                for name, tensor in _to_interleaved(state, heads, key_heads, size).items()
            },
        ),
        Mistake(
            "overwriting_loop",
            "The rows are moved within one and the same tensor, so some are overwritten before "
            "they are read. Read from the old weights, write to the new ones.",
            _overwriting_loop,
        ),
        Mistake(
            "first_head_only",
            "Only the first `rotary_size` rows of the whole matrix are reordered, which is the "
            "first head; every head has such rows.",
            _first_head_only,
        ),
        Mistake(
            "last_pair_left",
            "The last pair of each head is not moved: there are rotary_size/2 pairs.",
            _last_pair_left,
        ),
        Mistake(
            "needs_bias",
            "It asks for a name that `state` does not have, such as that of a bias where there are "
            "none; look which names there are.",
            _needs_bias,
        ),
        Mistake(
            "in_place",
            "The new weights are right, but `state` itself was changed: make a new dictionary, "
            "and new tensors.",
            _in_place_conversion,
            equivalent=(_copied_conversion,),
        ),
        Mistake(
            "bias_reversed",
            "The weights are right, but the biases were reordered in the wrong direction.",
            lambda state, *rest: {
                name: (
                    _conversion(frozenset({"direction"})) if "bias" in name else _to_interleaved
                )(state, *rest)[name]
                for name in state
            },
            points=3,
        ),
        Mistake(
            "partial_split_of_head",
            "Row i was paired with row i + head_size/2; where only a part turns, its partner is "
            "row i + rotary_size/2.",
            lambda state, heads, key_heads, size: _half_head_partners(
                state, heads, key_heads, size
            ),
            points=3,
        ),
        Mistake(
            "partial_rest_lost",
            "Where only a part of each head turns, the other rows are missing; they stay behind "
            "the reordered ones.",
            lambda state, heads, key_heads, size: {
                name: tensor.unflatten(0, (heads if name[0] == "q" else key_heads, -1))[
                    :, :size
                ].flatten(0, 1)
                if name[0] in "qk"
                else tensor
                for name, tensor in _to_interleaved(state, heads, key_heads, size).items()
            },
            points=3,
        ),
    ),
)


def _half_head_partners(state, heads, key_heads, rotary_size):
    new = _to_interleaved(state, heads, key_heads, rotary_size)
    for name, tensor in state.items():
        if name[0] in "qk":
            rows = tensor.unflatten(0, (heads if name[0] == "q" else key_heads, -1))
            head_size, pairs = rows.size(1), rotary_size // 2
            partners = torch.arange(pairs) + head_size // 2
            order = torch.stack([torch.arange(pairs), partners], dim=-1).flatten().tolist()
            order += [row for row in range(head_size) if row not in order]
            new[name] = rows[:, order].flatten(0, 1)
    return new
