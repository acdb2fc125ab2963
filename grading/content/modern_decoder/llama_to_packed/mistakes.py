"""The known mistakes of `llama_to_packed`."""

from __future__ import annotations

from grading.content.common import changed_in_place, kept_value
from grading.content.modern_decoder.sections import GROUPS, ONE_TABLE, ROTARY
from grading.exercise import Mistake

_REFUSE = '    if wrong:\n        raise ValueError(f"missing or unknown: {wrong}")\n'
_WRONG = "wrong = sorted(missing | unknown)"
_HALVES = "rows.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)"
_QUERY = "query = halves(query, num_attention_heads)"
_KEY = "key = halves(key, num_key_value_heads)"
_UNKNOWN = 'unknown = set(state) - expected - {"rope.freqs"}'
_UNKNOWN_BUT_ROPE = 'unknown = {n for n in set(state) - expected if not n.startswith("rope.")}'
_LAYERS = "layers = range(max(numbers, default=0) + 1)"
_ONLY_THE_HEAD = (  # may be missing; without the others there is a KeyError
    '        if f"{theirs}.weight" in state:\n',
    '        if theirs != "output" or "output.weight" in state:\n',
)


COMBINED = (
    "not_reordered",
    "reordered_back",
    "across_heads",
    "key_by_query_heads",
    "gate_and_up",
    "never_refused",
    "missing_not_refused",
    "unknown_not_refused",
    "untied_always",
    "freqs_refused",
    "name_not_told",
)

MISTAKES = (
    Mistake(
        "not_reordered",
        "The rows of queries and keys are in Meta's order still. Pairs of neighbours must "
        "become pairs of a first and a second half.",
        [(_QUERY, "query = query"), (_KEY, "key = key")],
        section=ROTARY,
    ),
    Mistake(
        "reordered_back",
        "The rows are reordered the opposite way, from halves to neighbours. Row 2i of a head "
        "goes to place i, and row 2i + 1 to place i + head_size/2.",
        [(_HALVES, "rows.unflatten(0, (heads, 2, -1)).transpose(1, 2).flatten(0, 2)")],
        section=ROTARY,
    ),
    Mistake(
        "across_heads",
        "The even rows of *all* heads come first, then the odd ones. Each head has its own halves.",
        [("(heads, -1, 2)", "(1, -1, 2)")],
        section=ROTARY,
    ),
    Mistake(
        "halves_exchanged",
        "The odd rows of a head come first. Row 2i goes to the first half, row 2i + 1 to the "
        "second.",
        [(".transpose(1, 2).flatten(0, 2)", ".transpose(1, 2).flip(1).flatten(0, 2)")],
        section=ROTARY,
    ),
    Mistake(
        "heads_inside",
        "The rows are seen as [head_size, heads]. The rows of head 0 come first: [heads, "
        "head_size].",
        [(_HALVES, "rows.unflatten(0, (-1, 2, heads)).transpose(0, 1).flatten(0, 2)")],
        section=ROTARY,
    ),
    Mistake(
        "head_size_from_hidden",
        "The head size is taken for hidden_size / heads. It needn't be that: it follows from "
        "the rows, of which each head has as many.",
        [
            (
                _HALVES,
                "rows.view(heads, rows.size(1) // num_attention_heads // 2, 2, rows.size(1))"
                ".transpose(1, 2).flatten(0, 2)",
            )
        ],
        other_forms=(
            [
                (
                    _HALVES,
                    "rows.view(-1, rows.size(1) // num_attention_heads // 2, 2, rows.size(1))"
                    ".transpose(1, 2).flatten(0, 2)",
                )
            ],
        ),
        any_error=True,
    ),
    Mistake(
        "columns",
        "The *columns* of queries and keys are reordered. Rows make the numbers of a head; "
        "columns belong to the hidden vector.",
        [(_HALVES, "rows[:, [*range(0, rows.size(1), 2), *range(1, rows.size(1), 2)]]")],
        section=ROTARY,
    ),
    Mistake(
        "value_reordered",
        "The rows of the values are reordered, too. Only queries and keys are rotated.",
        [(_KEY, f"{_KEY}\n        value = halves(value, num_key_value_heads)")],
        section=ROTARY,
    ),
    Mistake(
        "query_only",
        "Only one of queries and keys is reordered. Both are rotated.",
        [(_KEY, "key = key")],
        other_forms=([(_QUERY, "query = query")],),
        section=ROTARY,
    ),
    Mistake(
        "output_reordered",
        "`wo` is changed. Its columns belong to the values, which aren't rotated.",
        [
            (
                "    return new",
                '    for name in [name for name in new if "attention.output" in name]:\n'
                "        new[name] = halves(new[name].T, num_attention_heads).T\n"
                "    return new",
            )
        ],
        section=ROTARY,
    ),
    Mistake(
        "key_by_query_heads",
        "The rows of the keys are split into as many heads as the queries have. There are "
        "`num_key_value_heads` of them.",
        [(_KEY, "key = halves(key, num_attention_heads)")],
        other_forms=(
            [
                (
                    _KEY,
                    "heads = key.split(len(key) // num_attention_heads)\n"
                    "        key = torch.cat([h[i::2] for h in heads for i in (0, 1)])",
                )
            ],
            [
                (
                    _KEY,
                    "half = len(key) // num_attention_heads // 2\n"
                    "        key = key.reshape(num_attention_heads, half, 2, -1)"
                    ".transpose(1, 2).reshape(key.shape)",
                )
            ],
        ),
        any_error=True,
        section=GROUPS,
    ),
    Mistake(
        "heads_repeated",
        "The key and value heads are repeated for all query heads. The packed layout has the "
        "rows of each once.",
        [
            (
                "        rows = torch.cat",
                "        group = num_attention_heads // num_key_value_heads\n"
                "        key, value = (\n"
                "            part.unflatten(0, (num_key_value_heads, -1))\n"
                "            .repeat_interleave(group, 0).flatten(0, 1)\n"
                "            for part in (key, value)\n"
                "        )\n"
                "        rows = torch.cat",
            )
        ],
        section=GROUPS,
    ),
    Mistake(
        "wrong_order",
        "The rows are stacked in another order than query, key, value.",
        [("torch.cat([query, key, value])", "torch.cat([query, value, key])")],
        other_forms=(
            [("torch.cat([query, key, value])", "torch.cat([key, query, value])")],
            [("torch.cat([query, key, value])", "torch.cat([key, value, query])")],
        ),
    ),
    Mistake(
        "joined_side_by_side",
        "Queries, keys and values are joined along the hidden axis. Their *rows* come one "
        "under the other: `dim=0`.",
        [("torch.cat([query, key, value])", "torch.cat([query, key, value], dim=1)")],
        any_error=True,
    ),
    Mistake(
        "not_packed",
        "Queries, keys and values keep names of their own. In the book's layout they are one "
        "tensor, `query_key_value`.",
        [
            (
                '        new[f"decoder.stack.layers.{n}.{joined}.weight"] = rows\n',
                '        new[f"decoder.stack.layers.{n}.attention.query.weight"] = query\n'
                '        new[f"decoder.stack.layers.{n}.attention.key.weight"] = key\n'
                '        new[f"decoder.stack.layers.{n}.attention.value.weight"] = value\n',
            )
        ],
    ),
    Mistake(
        "gate_and_up",
        "`w1` and `w3` change places: `w1` is the gate, `w3` is the book's `intermediate`, "
        "`w2` its `output`.",
        [
            (
                '"feed_forward.w1": "feed_forward.gate"',
                '"feed_forward.w1": "feed_forward.intermediate"',
            ),
            (
                '"feed_forward.w3": "feed_forward.intermediate"',
                '"feed_forward.w3": "feed_forward.gate"',
            ),
        ],
    ),
    Mistake(
        "down_and_up",
        "`w2` and `w3` are mixed up: `w2` is the book's `output`, `w3` its `intermediate`.",
        [
            (
                '"feed_forward.w2": "feed_forward.output"',
                '"feed_forward.w2": "feed_forward.intermediate"',
            ),
            (
                '"feed_forward.w3": "feed_forward.intermediate"',
                '"feed_forward.w3": "feed_forward.output"',
            ),
        ],
        other_forms=(
            [
                (
                    '"feed_forward.w2": "feed_forward.output"',
                    '"feed_forward.w2": "feed_forward.intermediate"',
                ),
                (
                    '"feed_forward.w3": "feed_forward.intermediate"',
                    '"feed_forward.w3": "feed_forward.gate"',
                ),
                (
                    '"feed_forward.w1": "feed_forward.gate"',
                    '"feed_forward.w1": "feed_forward.output"',
                ),
            ],
            [
                (
                    '"feed_forward.w2": "feed_forward.output"',
                    '"feed_forward.w2": "feed_forward.gate"',
                ),
                (
                    '"feed_forward.w1": "feed_forward.gate"',
                    '"feed_forward.w1": "feed_forward.output"',
                ),
            ],
        ),
    ),
    Mistake(
        "norms_exchanged",
        "`attention_norm` and `ffn_norm` change places.",
        [
            ('"attention_norm": "attention_norm"', '"attention_norm": "feed_forward_norm"'),
            ('"ffn_norm": "feed_forward_norm"', '"ffn_norm": "attention_norm"'),
        ],
    ),
    Mistake(
        "head_for_embeddings",
        "`output.weight` and `tok_embeddings.weight` change places.",
        [
            (
                '"tok_embeddings": "decoder.embeddings.word_embeddings"',
                '"tok_embeddings": "head"',
            ),
            ('"output": "head"', '"output": "decoder.embeddings.word_embeddings"'),
        ],
        section=ONE_TABLE,
    ),
    Mistake(
        "transposed",
        "The matrices are transposed. Both layouts keep [out, in].",
        [
            (
                "    return new",
                "    return {name: t.T if t.dim() == 2 else t for name, t in new.items()}",
            )
        ],
    ),
    Mistake(
        "first_layer_only",
        "Only the first layer is converted.",
        [("for n in layers:", "for n in layers[:1]:")],
    ),
    Mistake(
        "last_layer_missing",
        "The last layer is missing: n layers are numbered 0 to n − 1, so there is one more "
        "than the highest number.",
        [
            (f"    {_LAYERS}\n", "    layers = range(max(numbers, default=0))\n"),
            (" - expected - ", " - set(state) - "),
        ],
        other_forms=([(_LAYERS, "layers = range(max(numbers, default=0))")],),
    ),
    Mistake(
        "one_digit",
        "With more than ten layers their number is wrong: “layers.11.…” is layer 11, not 1, "
        "and as texts “9” is larger than “11”. Make an integer of all the digits.",
        [('int(name.split(".")[1])', "int(name[7])")],
        equivalent=(
            [
                ('int(name.split(".")[1])', 'name.split(".")[1]'),
                ("max(numbers, default=0)", 'int(max(numbers, default="0"))'),
            ],
        ),
        any_error=True,
        points=3,
    ),
    Mistake(
        "untied_always",
        "Without `output.weight` the result has a `head.weight`, or there's an error. The head "
        "is tied then, and the result has none.",
        [
            (
                "    for n in layers:",
                '    new.setdefault("head.weight", state["tok_embeddings.weight"])\n'
                "    for n in layers:",
            )
        ],
        other_forms=(
            [(' - {"output.weight"} - ', " - ")],
            [
                (
                    "    for n in layers:",
                    '    new.setdefault("head.weight", state["tok_embeddings.weight"])\n'
                    "    for n in layers:",
                ),
                ("    numbers = ", '    state.pop("rope.freqs", None)\n    numbers = '),
            ],
            [
                (
                    '        if f"{theirs}.weight" in state:\n            new[',
                    "        if True:\n            new[",
                )
            ],
        ),
        points=3,
        section=ONE_TABLE,
        any_error=True,
    ),
    Mistake(
        "never_tied",
        "The result has no `head.weight` even if the state has an `output.weight`.",
        [
            ('        "output": "head",\n', ""),
            (' - {"rope.freqs"}', ' - {"rope.freqs", "output.weight"}'),
        ],
        section=ONE_TABLE,
    ),
    Mistake(
        "freqs_refused",
        "`rope.freqs` is refused. It may be there, and is left out.",
        [(' - {"rope.freqs"}', "")],
        points=3,
    ),
    Mistake(
        "freqs_kept",
        "`rope.freqs` is in the result. It holds no weights and is left out.",
        [
            (
                "    return new",
                '    return new | {n: t for n, t in state.items() if n == "rope.freqs"}',
            )
        ],
        points=3,
    ),
    Mistake(
        "float32",
        "The weights come back in float32. The dtype stays what it is.",
        [
            (
                "    return new",
                "    return {name: tensor.float() for name, tensor in new.items()}",
            )
        ],
        other_forms=(
            [("torch.cat([query, key, value])", "torch.cat([query, key, value]).float()")],
        ),
        points=3,
    ),
    Mistake(
        "never_refused",
        "Names that are unknown, and missing ones, are passed over, or lead to an error of "
        "another type. Compare all names first, and raise a `ValueError`.",
        [(_REFUSE, "")],
        other_forms=(
            [("raise ValueError", "raise KeyError")],
            [(_REFUSE, "    assert not wrong, wrong\n")],
            [(_REFUSE, ""), _ONLY_THE_HEAD],
        ),
        points=3,
    ),
    Mistake(
        "unknown_not_refused",
        "Unknown names are passed over. They raise a `ValueError`, too.",
        [(_WRONG, "wrong = sorted(missing)")],
        points=3,
    ),
    Mistake(
        "missing_not_refused",
        "Missing names don't raise a `ValueError`. (A `KeyError` is another error.)",
        [(_WRONG, "wrong = sorted(unknown)")],
        other_forms=(
            [(_WRONG, "wrong = sorted(unknown)"), _ONLY_THE_HEAD],
            [
                (_WRONG, "wrong = sorted(unknown)"),
                (
                    "    new = {}",
                    "    tied = {} if 'output.weight' in state else {'output.weight'}\n"
                    "    none = torch.zeros(())\n"
                    "    state = {n: state.get(n, none) for n in expected - set(tied)}\n"
                    "    new = {}",
                ),
            ],
        ),
        points=3,
    ),
    Mistake(
        "unknown_in_layers",
        "Unknown names within layers are passed over. They raise a `ValueError`, too.",
        [
            (
                "unknown = set(state)",
                'unknown = {n for n in state if not n.startswith("layers")}',
            )
        ],
        points=3,
    ),
    Mistake(
        "unknown_outside",
        "Unknown names outside the layers are passed over. They raise a `ValueError`, too.",
        [("unknown = set(state)", 'unknown = {n for n in state if n.startswith("layers")}')],
        points=3,
    ),
    Mistake(
        "name_not_told",
        "The `ValueError` doesn't contain the name that is unknown or missing, as Meta writes it.",
        [('f"missing or unknown: {wrong}"', '"missing or unknown names"')],
        other_forms=(
            [('f"missing or unknown: {wrong}"', 'f"wrong: {[name[:-7] for name in wrong]}"')],
            [('f"missing or unknown: {wrong}"', "len(wrong)")],
            [('f"missing or unknown: {wrong}"', 'f"unknown: {sorted(unknown)}"')],
            [('f"missing or unknown: {wrong}"', 'f"missing: {sorted(missing)}"')],
            [
                (
                    _WRONG,
                    'book = {"attention.w": "attention.query_key_value.", "tok_": "word_"}\n'
                    "    for old, ours in book.items():\n"
                    "        missing = {name.replace(old, ours) for name in missing}\n"
                    f"    {_WRONG}",
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "part_of_another",
        "A missing `norm.weight` isn't noticed, because it's a part of another name, "
        "`layers.0.attention_norm.weight`. Names must be equal: look for them in a set or in "
        "the state itself, not in a text.",
        [
            (
                'expected - {"output.weight"} - set(state)',
                '{n for n in expected - {"output.weight"} if n not in " ".join(state)}',
            )
        ],
        points=3,
    ),
    Mistake(
        "other_rope",
        "Names that only resemble `rope.freqs` are left out, too, by “rope” in them, or by how "
        "they begin or end. That is for `rope.freqs` alone; another one is unknown.",
        [(_UNKNOWN, 'unknown = {n for n in set(state) - expected if "rope" not in n}')],
        other_forms=(
            [
                (
                    _UNKNOWN,
                    "unknown = {\n"
                    "        n for n in set(state) - expected if not n.endswith('rope.freqs')\n"
                    "    }",
                )
            ],
            [(_UNKNOWN, _UNKNOWN_BUT_ROPE)],
        ),
        points=3,
    ),
    Mistake(
        "names_alike",
        "Names that only begin or end like one of the table, such as "
        "`model.layers.1.attention.wq.weight`, are passed over. A name is in the table as a "
        "whole, or it's unknown.",
        [
            (
                _UNKNOWN,
                "known = tuple(expected | {'rope.freqs'})\n"
                "    unknown = {n for n in state if not n.startswith(known)}",
            )
        ],
        other_forms=(
            [
                (
                    _UNKNOWN,
                    "known = tuple(expected | {'rope.freqs'})\n"
                    "    unknown = {n for n in state if not n.endswith(known)}",
                )
            ],
            [
                (
                    _UNKNOWN,
                    "known = expected | {'rope.freqs'}\n"
                    "    unknown = {n for n in state if not any(k in n for k in known)}",
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "layers_counted",
        "A layer that is missing as a whole isn't noticed, because layers are counted, or only "
        "those that occur are looked at. They are numbered without gaps: 0, 1, 2, ….",
        [(_LAYERS, "layers = sorted(set(numbers))")],
        points=3,
    ),
    Mistake(
        "names_counted",
        "The number of layers follows from how many names or layers there are, or from names "
        "of one kind (such as `wq`). If one is missing, it's too small, and the error blames "
        "names that are right. Take the highest number in a name of any kind.",
        [(_LAYERS, 'layers = range(sum(name[:7] == "layers." for name in state) // 9)')],
        other_forms=(
            [
                (
                    'if name.startswith("layers.")]',
                    'if name.startswith("layers.") and "wq" in name]',
                )
            ],
            [(_LAYERS, 'layers = range(max(1, sum("wq" in name for name in state)))')],
            [
                (_LAYERS, "layers = range(len(set(numbers)))"),
                (_WRONG, "wrong = sorted(unknown) or sorted(missing)"),
            ],
            [
                (_LAYERS, 'layers = range(sum("wq" in name for name in state))'),
                (_WRONG, "wrong = sorted(unknown) or sorted(missing)"),
            ],
            [
                (
                    _LAYERS,
                    'layers = range(sum(n.endswith(".attention.wq.weight") for n in state))',
                ),
                (_WRONG, "wrong = (sorted(missing) or sorted(unknown))[:1]"),
            ],
        ),
        points=3,
    ),
    Mistake(
        "numpy",
        "The rows are reordered with NumPy, which has no bfloat16. Tensors have the same methods.",
        [(_HALVES, _HALVES.replace("rows", "torch.from_numpy(rows.numpy())"))],
        any_error=True,
        points=3,
    ),
    changed_in_place(
        "state",
        [("    numbers = ", '    state.pop("rope.freqs", None)\n    numbers = ')],
        points=3,
    ),
    kept_value(
        "num_key_value_heads",
        "torch.cat([query, key, value])",
        "(n, query.shape, key.shape, query.dtype)",
    ),
)
