"""The known mistakes of `to_interleaved`."""

from __future__ import annotations

import torch

from grading.content.common import kept
from grading.content.positions.sections import QUERY_AND_KEY
from grading.exercise import Mistake

_FIRST_ROWS = "order[:rotary_size] = order[:rotary_size]"
_NEW = "rows[:, order].flatten(0, 1)"

_ONE_ROW_OF_BIASES = (
    "rows = state[name].unflatten(0, (heads, -1))",
    'bias = name.endswith("bias")\n'
    "                rows = state[name].unflatten(0, (1 if bias else heads, -1))",
)
_ALL_FIRST_ROWS = (
    "last = rotary_size * heads if bias else rotary_size\n"
    "                order[:last] = order[:last]"
)


def _head_size_from_hidden(state, num_attention_heads, num_key_value_heads, rotary_size):
    """Where each head begins is computed from the length of the hidden state."""
    head_size = state["query.weight"].size(1) // num_attention_heads
    order = torch.arange(rotary_size).view(2, -1).T.flatten().tolist()
    order += range(rotary_size, head_size)
    new = dict(state)
    for layer, heads in [("query", num_attention_heads), ("key", num_key_value_heads)]:
        rows = [head * head_size + row for head in range(heads) for row in order]
        for name in {f"{layer}.weight", f"{layer}.bias"} & set(state):
            new[name] = state[name][rows]
    return new


def _heads_of_rotary_size(state, num_attention_heads, num_key_value_heads, rotary_size):
    """Each `rotary_size` rows are taken for a head; what is left at the end stays."""
    new = dict(state)
    for name, rows in state.items():
        if name.startswith(("query", "key")):
            end = len(rows) // rotary_size * rotary_size
            turned = rows[:end].unflatten(0, (-1, 2, rotary_size // 2)).transpose(1, 2)
            new[name] = torch.cat([turned.flatten(0, 2), rows[end:]])
    return new


def _columns(starts: str, turned: str, also: str = 'name in state and name.endswith("weight")'):
    """The last axis of the weights is reordered, from each start on; biases as they were or too."""
    return [
        ("if name in state", f"if {also}"),
        (
            f"new[name] = {_NEW}",
            "width, size = state[name].size(-1), rows.size(1)\n"
            "                order = torch.arange(width)\n"
            f"                for first in {starts}:\n"
            f"                    last = first + {turned}\n"
            "                    order[first:last] = order[first:last].view(2, -1).T.flatten()\n"
            "                new[name] = state[name][..., order]",
        ),
    ]


COMBINED = (
    "direction",
    "not_by_head",
    "query_heads_for_keys",
    "partners_exchanged",
    "key_forgotten",
    "query_forgotten",
    "values_too",
    "bias_forgotten",
    "whole_head",
    "last_part",
    "rest_first",
    "one_bias_forgotten",
    "partial_rest_zero",
)

MISTAKES = (
    Mistake(
        "direction",
        "This is the way back, from interleaved to half-split. Here the rows come from the two "
        "halves and go to neighbouring places: row i to 2i, row i + rotary_size/2 to 2i + 1.",
        [("view(2, -1)", "view(-1, 2)")],
    ),
    Mistake(
        "not_by_head",
        "The rows are reordered across all heads at once; each head has its own halves.",
        [("(heads, -1)", "(1, -1)"), (_FIRST_ROWS, "order = order")],
    ),
    Mistake(
        "bias_not_by_head",
        "The biases are reordered across all heads at once; as the rows of the weights, they "
        "belong to one head after the other, and each head has its own halves.",
        [_ONE_ROW_OF_BIASES, (_FIRST_ROWS, _ALL_FIRST_ROWS)],
        other_forms=([_ONE_ROW_OF_BIASES],),
        points=3,
    ),
    Mistake(
        "heads_inside",
        "The rows are split as [head_size, heads]; the heads lie one after the other, "
        "[heads, head_size].",
        [
            ("(heads, -1)", "(-1, heads)"),
            ("rows.size(1)", "rows.size(0)"),
            ("rows[:, order]", "rows[order]"),
        ],
    ),
    Mistake(
        "head_size_from_hidden",
        "The head size is computed from `hidden_size`, and here all heads together are wider "
        "or narrower. It follows from the number of rows: divided by the heads.",
        _head_size_from_hidden,
        other_forms=(
            [("(heads, -1)", '(-1, state["query.weight"].size(1) // num_attention_heads)')],
            [("(heads, -1)", '(heads, state["query.weight"].size(1) // num_attention_heads)')],
        ),
        any_error=True,
    ),
    Mistake(
        "query_heads_for_keys",
        "The rows of the keys are split by the number of query heads; keys have "
        "`num_key_value_heads`.",
        [('("key", num_key_value_heads)', '("key", num_attention_heads)')],
    ),
    Mistake(
        "query_heads_for_key_bias",
        "The bias of the keys is split by the number of query heads; it has as many heads as "
        "the rows of the keys, `num_key_value_heads`.",
        [("(heads, -1)", '(num_attention_heads if name == "key.bias" else heads, -1)')],
        points=3,
    ),
    Mistake(
        "key_heads_for_queries",
        "The rows of the queries are split by the number of key heads; queries have "
        "`num_attention_heads`.",
        [('("query", num_attention_heads)', '("query", num_key_value_heads)')],
    ),
    Mistake(
        "as_many_key_heads",
        "It fails where keys have fewer heads than queries: split the rows of the keys by "
        "`num_key_value_heads`.",
        [
            ('("key", num_key_value_heads)', '("key", num_attention_heads)'),
            ("(heads, -1)", '(heads, state["query.weight"].size(0) // heads)'),
        ],
        any_error=True,
    ),
    Mistake(
        "rest_first",
        "Where only a part of each head turns, the rows that are not turned come first; they "
        "stay behind the reordered ones.",
        [("rows[:, order]", "rows[:, order].roll(-rotary_size, dims=1)")],
        points=3,
    ),
    Mistake(
        "partners_exchanged",
        "The two partners of each pair are exchanged: the number of the first half comes "
        "first, the one of the second half after it.",
        [("view(2, -1)", "view(2, -1).flip(0)")],
    ),
    Mistake(
        "mirrored",
        "The second half was taken backwards: row i was paired with row rotary_size − 1 − i; "
        "its partner is row i + rotary_size/2.",
        [
            (
                f"{_FIRST_ROWS}.view(2, -1).T.flatten()",
                "half = rotary_size // 2\n"
                "                order[:rotary_size] = torch.stack(\n"
                "                    [order[:half], order[half:rotary_size].flip(0)], dim=-1\n"
                "                ).flatten()",
            )
        ],
    ),
    Mistake(
        "key_forgotten",
        "The keys are as they were; reorder them like the queries.",
        [(', ("key", num_key_value_heads)', "")],
    ),
    Mistake(
        "query_forgotten",
        "The queries are as they were; reorder them like the keys.",
        [('("query", num_attention_heads), ', "")],
    ),
    Mistake(
        "values_too",
        "The values are reordered, too. They are not turned, and what is built on them expects "
        "the old order.",
        [("heads in [", 'heads in [("value", num_key_value_heads), ')],
        section=QUERY_AND_KEY,
    ),
    Mistake(
        "value_bias_too",
        "The bias of the values is reordered, too. Values are not turned: their rows stay "
        "where they are, and so does their bias.",
        [
            ("heads in [", 'heads in [("value", num_key_value_heads), '),
            ("if name in state", 'if name in state and name != "value.weight"'),
        ],
        section=QUERY_AND_KEY,
        points=3,
    ),
    Mistake(
        "rest_lost",
        "Only what was reordered comes back; values and output must be in the new dictionary, "
        "unchanged.",
        [("new = dict(state)", "new = {}")],
    ),
    Mistake(
        "bias_forgotten",
        "The biases of queries and keys are as they were. A bias is added to the rows' "
        "results, so it needs the same new order.",
        [('(f"{layer}.weight", f"{layer}.bias")', '(f"{layer}.weight",)')],
        points=3,
    ),
    Mistake(
        "biases_lost",
        "The new dictionary holds the weights only; the biases belong in it, too, those of "
        "queries and keys in the new order.",
        [
            (
                "new = dict(state)",
                'new = {name: rows for name, rows in state.items() if name.endswith("weight")}',
            ),
            ('(f"{layer}.weight", f"{layer}.bias")', '(f"{layer}.weight",)'),
        ],
        points=3,
    ),
    Mistake(
        "whole_head",
        "All rows of each head are reordered; only the first `rotary_size` rows are turned, "
        "the others must stay where they are.",
        [
            (
                "                order = torch",
                "                rotary_size = rows.size(1)\n                order = torch",
            )
        ],
        other_forms=(
            [
                (
                    "                order = torch",
                    "                rotary_size = rows.size(1) // 2 * 2\n"
                    "                order = torch",
                )
            ],
        ),
        points=3,
        any_error=True,
    ),
    Mistake(
        "last_part",
        "The last `rotary_size` rows of each head are reordered; the first ones are turned.",
        [(_FIRST_ROWS, "order[-rotary_size:] = order[-rotary_size:]")],
        points=3,
    ),
    Mistake(
        "columns",
        "The columns of the weights are reordered; they belong to the hidden state that comes "
        "in. A head's numbers are rows.",
        [
            (
                f"new[name] = {_NEW}",
                f"new[name] = {_NEW}\n"
                '                if name.endswith("weight"):\n'
                "                    order = torch.arange(state[name].size(1))\n"
                "                    even = len(order) // 2 * 2\n"
                "                    order[:even] = order[:even].view(2, -1).T.flatten()\n"
                "                    new[name] = state[name][:, order]",
            )
        ],
        other_forms=(
            _columns("range(0, 1)", "width // 2 * 2"),
            _columns("range(0, 1)", "min(rotary_size, width // 2 * 2)"),
            _columns("range(0, width - size + 1, size)", "rotary_size"),
            _columns("range(0, width - size + 1, size)", "rotary_size", "name in state"),
        ),
    ),
    Mistake(
        "nothing",
        "The rows of queries and keys are in the order in which they were given; they should "
        "be in a new one.",
        [("return new", "return dict(state)")],
    ),
    Mistake(
        "transposed",
        "The reordered weights came back transposed; keep [rows, hidden_size].",
        [(_NEW, f"{_NEW}.t()")],
    ),
    Mistake(
        "output_too",
        "The columns of the output projection are reordered, too. They belong to the values, "
        "which keep their order.",
        [
            (
                "    return new",
                '    columns = state["output.weight"].unflatten(1, (num_attention_heads, -1))\n'
                '    new["output.weight"] = columns[:, :, order].flatten(1, 2)\n'
                "    return new",
            )
        ],
    ),
    Mistake(
        "values_and_output_too",
        "The values and the columns of the output projection are reordered, too. That cancels "
        "out, but neither was asked for: only queries and keys are turned.",
        [
            ("heads in [", 'heads in [("value", num_key_value_heads), '),
            (
                "    return new",
                '    columns = state["output.weight"].unflatten(1, (num_attention_heads, -1))\n'
                '    new["output.weight"] = columns[:, :, order].flatten(1, 2)\n'
                "    return new",
            ),
        ],
    ),
    Mistake(
        "split_by_head",
        "The weights came back split by head, with one dimension more; join the heads again.",
        [(_NEW, "rows[:, order]")],
    ),
    Mistake(
        "overwriting_loop",
        "The rows are moved within one and the same tensor, so some are overwritten before "
        "they are read. Read from the old weights, write to the new ones.",
        [
            ("state[name].unflatten", "state[name].clone().unflatten"),
            (
                f"new[name] = {_NEW}",
                "for place, row in enumerate(order.tolist()):\n"
                "                    rows[:, place] = rows[:, row]\n"
                "                new[name] = rows.flatten(0, 1)",
            ),
        ],
    ),
    Mistake(
        "first_head_only",
        "Only the first `rotary_size` rows of the whole matrix are reordered, which is the "
        "first head; every head has such rows.",
        [("(heads, -1)", "(1, -1)")],
    ),
    Mistake(
        "last_pair_left",
        "The last pair of each head is not moved: there are rotary_size/2 pairs.",
        [
            (
                "                new[name]",
                "                last = torch.arange(rotary_size - 2, rotary_size)\n"
                "                order[last] = last\n"
                "                new[name]",
            )
        ],
    ),
    Mistake(
        "needs_bias",
        "It asks for a name that `state` does not have, such as that of a bias where there are "
        "none; look which names there are.",
        [("if name in state", "if state[name] is not None")],
    ),
    Mistake(
        "in_place",
        "The new weights are right, but `state` itself was changed: make a new dictionary, "
        "and new tensors.",
        [("new = dict(state)", "new = state")],
        equivalent=([(f"new[name] = {_NEW}", f"new[name].copy_({_NEW})")],),
    ),
    kept(
        [
            ("rotary_size):", "rotary_size, kept={}):"),
            (
                f"new[name] = {_NEW}",
                f"new[name] = kept.setdefault((name, rows.shape), {_NEW})",
            ),
        ],
    ),
    Mistake(
        "one_bias_forgotten",
        "Only one of the two biases is reordered. The rows of queries and of keys change their "
        "order, and each bias goes with its rows.",
        [("if name in state", 'if name in state and name != "key.bias"')],
        other_forms=([("if name in state", 'if name in state and name != "query.bias"')],),
        points=3,
    ),
    Mistake(
        "heads_of_rotary_size",
        "The rows are cut into pieces of `rotary_size` rows, as if that were the size of a "
        "head. A head has as many rows as the matrix divided by the number of heads; only the "
        "first `rotary_size` of them turn.",
        _heads_of_rotary_size,
        points=3,
    ),
    Mistake(
        "bias_reversed",
        "The weights are right, but the biases were reordered in the wrong direction.",
        [("view(2, -1)", 'view((-1, 2) if name.endswith("bias") else (2, -1))')],
        points=3,
    ),
    Mistake(
        "partial_split_of_head",
        "Row i was paired with row i + head_size/2; where only a part turns, its partner is "
        "row i + rotary_size/2.",
        [
            (
                f"{_FIRST_ROWS}.view(2, -1).T.flatten()",
                "first = order[: rotary_size // 2]\n"
                "                second = first + rows.size(1) // 2\n"
                "                pairs = torch.stack([first, second], dim=-1)\n"
                "                rest = [row for row in order.tolist() if row not in pairs]\n"
                "                order = pairs.flatten().tolist() + rest",
            )
        ],
        points=3,
    ),
    Mistake(
        "partial_rest_zero",
        "Where only a part of each head turns, the other rows come back as zeros; they stay "
        "as they were.",
        [
            (
                "new[name] = rows[:, order].flatten(0, 1)",
                "rows = rows[:, order]\n"
                "                rows[:, rotary_size:] = 0.0\n"
                "                new[name] = rows.flatten(0, 1)",
            )
        ],
        points=3,
    ),
    Mistake(
        "partial_rest_lost",
        "Where only a part of each head turns, the other rows are missing; they stay behind "
        "the reordered ones.",
        [("rows[:, order]", "rows[:, order[:rotary_size]]")],
        points=3,
    ),
)
