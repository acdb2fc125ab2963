"""The known mistakes of `regrouped_bert`."""

from __future__ import annotations

from grading.content.common import kept
from grading.content.encoder.sections import TYPES
from grading.exercise import Mistake

COMBINED = (
    "thirds",
    "row_by_row",
    "norms_exchanged",
    "prefix_kept",
    "only_gamma",
    "left_overs_kept",
    "packed_in_float32",
)

MISTAKES = (
    Mistake(
        "thirds",
        "Query, key and value are packed as in the chapter: first all query rows, then all key "
        "rows, then all value rows. This layout goes head by head: query, key and value rows "
        "of head 0, then those of head 1, and so on.",
        [("torch.stack(by_head, dim=1).flatten(0, 2)", "torch.cat(parts)")],
    ),
    Mistake(
        "bias_thirds",
        "The weights are grouped by head, but the biases still lie as three thirds. A bias "
        "belongs to its row: reorder both in the same way.",
        [(".flatten(0, 2)", '.flatten(0, 2) if kind == "weight" else torch.cat(parts)')],
    ),
    Mistake(
        "weight_thirds",
        "The biases are grouped by head, but the weights still lie as three thirds. A bias "
        "belongs to its row: reorder both in the same way.",
        [(".flatten(0, 2)", '.flatten(0, 2) if kind == "bias" else torch.cat(parts)')],
    ),
    Mistake(
        "every_nth_row",
        "Each head gets every n-th row, n being the number of heads. The rows of a head follow "
        "each other.",
        [
            (
                "part.unflatten(0, (num_attention_heads, -1))",
                "part.unflatten(0, (-1, num_attention_heads)).transpose(0, 1)",
            )
        ],
    ),
    Mistake(
        "order_of_the_dictionary",
        "Query, key and value are packed in the order in which they stand in the dictionary, "
        "which may be any. Look them up by their names.",
        [
            (
                'layer[f"attention.self.{part}", kind] for part in ("query", "key", "value")',
                "part for name, part in layer.items() "
                'if name[0].startswith("attention.self.") and name[1] == kind',
            )
        ],
        points=3,
    ),
    Mistake(
        "row_by_row",
        "Query, key and value alternate row by row. They alternate by heads: all query rows of "
        "a head stay together, then all its key rows, then all its value rows.",
        [
            (
                "torch.stack(by_head, dim=1).flatten(0, 2)",
                "torch.stack(parts, dim=1).flatten(0, 1)",
            )
        ],
    ),
    Mistake(
        "row_outside",
        "The number of the row within its head runs slowest, and query, key, value fastest. It "
        "must be: heads slowest, then query, key, value, then the rows of the head.",
        [
            (
                "torch.stack(by_head, dim=1).flatten(0, 2)",
                "torch.stack(by_head, dim=1).movedim(2, 0).flatten(0, 2)",
            )
        ],
    ),
    Mistake(
        "size_for_heads",
        "The rows were cut into pieces of `num_attention_heads` rows. There are "
        "`num_attention_heads` pieces, each of hidden / num_attention_heads rows.",
        [("(num_attention_heads, -1)", "(-1, num_attention_heads)")],
    ),
    Mistake(
        "key_first",
        "Keys stand before queries; the order within each head is query, key, value.",
        [('("query", "key", "value")', '("key", "query", "value")')],
    ),
    Mistake(
        "value_first",
        "Values stand first; the order within each head is query, key, value.",
        [('("query", "key", "value")', '("value", "query", "key")')],
    ),
    Mistake(
        "value_second",
        "Each head has its query rows, its value rows, its key rows; the order is query, key, "
        "value.",
        [('("query", "key", "value")', '("query", "value", "key")')],
    ),
    Mistake(
        "transposed",
        "Matrices are transposed; those of the feed-forward part show it by their shape. Both "
        "layouts keep a linear map as `nn.Linear` does, [out, in].",
        [
            (
                "            if module in layer_names:",
                "            if module in layer_names:\n                tensor = tensor.t()",
            )
        ],
        equivalent=(
            [
                (
                    "            if module in layer_names:",
                    '            if module in ("intermediate.dense", "output.dense"):\n'
                    "                tensor = tensor.t()\n"
                    "            if module in layer_names:",
                )
            ],
        ),
    ),
    Mistake(
        "norms_exchanged",
        "The two normalisations of a layer are exchanged: `attention.output.LayerNorm` follows "
        "attention, `output.LayerNorm` follows the feed-forward part.",
        [('"attention.norm"', '"mlp.norm"'), ('"mlp.norm"', '"attention.norm"')],
        section="“How sharp is this test?” in chapter 6",
    ),
    Mistake(
        "up_and_down_exchanged",
        "The two maps of the feed-forward part are exchanged: `intermediate.dense` becomes "
        "`mlp.up`, `output.dense` becomes `mlp.down`.",
        [('"mlp.up"', '"mlp.down"'), ('"mlp.down"', '"mlp.up"')],
    ),
    Mistake(
        "tables_exchanged",
        "The tables of words and of positions are exchanged.",
        [
            ('"embedding.word"', '"embedding.position"'),
            ('"embedding.position"', '"embedding.word"'),
        ],
    ),
    Mistake(
        "segments_left_out",
        "The table of segments (`token_type_embeddings`) is left out.",
        [
            (
                'if module.startswith("embeddings."):',
                'if module.startswith("embeddings.") and "token_type" not in module:',
            )
        ],
        section=TYPES,
    ),
    Mistake(
        "from_one",
        "The layers are numbered from 1; both layouts count from 0.",
        [
            (
                "for number, layer in layers.items():",
                "for number, layer in layers.items():\n        number = int(number) + 1",
            )
        ],
    ),
    Mistake(
        "prefix_kept",
        "It finds nothing where the names begin with `bert.`: a whole model keeps its encoder "
        "under that name. Remove the prefix from each name that has it; the first name of the "
        "state may be one without.",
        [('.removeprefix("bert.")', "")],
        equivalent=(
            [
                (
                    '.removeprefix("bert.")',
                    '.removeprefix("bert." * next(iter(state)).startswith("bert."))',
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "position_ids_kept",
        "`position_ids` is kept. It is no weight but the numbers 0, 1, 2, …, which old "
        "checkpoints saved along.",
        [
            (
                '        if module.startswith("embeddings."):',
                '        if kind == "position_ids":\n'
                '            result["embedding.position_ids"] = tensor\n'
                '        if module.startswith("embeddings."):',
            )
        ],
        points=3,
    ),
    Mistake(
        "pooler_kept",
        "The pooler is kept; it is a head on top of the encoder and does not belong to it.",
        [
            (
                '        if module.startswith("embeddings."):',
                '        if module.startswith("pooler"):\n'
                '            result[f"{module}.{kind}"] = tensor\n'
                '        if module.startswith("embeddings."):',
            )
        ],
        points=3,
    ),
    Mistake(
        "head_kept",
        "What begins with `cls.` is kept: those are the heads of pretraining, which do not "
        "belong to the encoder.",
        [
            (
                '        if module.startswith("embeddings."):',
                '        if module.startswith("cls"):\n'
                '            result[f"{module}.{kind}"] = tensor\n'
                '        if module.startswith("embeddings."):',
            )
        ],
        points=3,
    ),
    Mistake(
        "old_names",
        "`gamma` and `beta` are not understood: so the weight and the bias of a normalisation "
        "were called in old checkpoints.",
        [('{"gamma": "weight", "beta": "bias"}', "{}")],
        points=3,
    ),
    Mistake(
        "old_names_somewhere",
        "`gamma` and `beta` are understood in some normalisations and kept in others. There is "
        "one in the embeddings, and there are two in each layer.",
        [
            (
                'result[f"layers.{number}.{layer_names[module]}.{kind}"] = tensor',
                "old = f\"encoder.layer.{number}.{module}.{dict(weight='gamma', "
                "bias='beta')[kind]}\"\n"
                "                if old in state:\n"
                '                    kind = old.rpartition(".")[2]\n'
                '                result[f"layers.{number}.{layer_names[module]}.{kind}"] = '
                "tensor",
            )
        ],
        other_forms=(
            [
                (
                    'result[f"{embedding_names[module]}.{kind}"] = tensor',
                    'kind = name.rpartition(".")[2]\n'
                    '            result[f"{embedding_names[module]}.{kind}"] = tensor',
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "prefix_not_found",
        "In a whole model names begin with `bert.`, and here they are looked up without it: a "
        "`KeyError`. Find out whether any name has the prefix.",
        [
            (
                "result, layers = {}, {}",
                'words = state["embeddings.word_embeddings.weight"]\n'
                '    result, layers = {"embedding.word.weight": words}, {}',
            )
        ],
        points=3,
    ),
    Mistake(
        "old_names_not_found",
        "`LayerNorm.weight` is looked up where an old checkpoint has `LayerNorm.gamma`: a "
        "`KeyError`. Take the one that is there; the same with bias and `beta`.",
        [
            (
                "result, layers = {}, {}",
                'prefix = "bert." * any(name.startswith("bert.") for name in state)\n'
                '    gain = state[f"{prefix}embeddings.LayerNorm.weight"]\n'
                '    result, layers = {"embedding.norm.weight": gain}, {}',
            )
        ],
        points=3,
    ),
    Mistake(
        "prefix_or_old_names",
        "A prefix is removed, or `gamma` and `beta` are renamed, but not both in one name "
        "(`elif`?). A name may have both.",
        [
            (
                'kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)',
                'if not name.startswith("bert."):\n'
                '            kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)',
            )
        ],
        points=3,
    ),
    Mistake(
        "only_gamma",
        "Of the old names only one is understood. Both must be: `gamma` is the weight of a "
        "normalisation, `beta` its bias.",
        [('{"gamma": "weight", "beta": "bias"}', '{"gamma": "weight"}')],
        other_forms=([('{"gamma": "weight", "beta": "bias"}', '{"beta": "bias"}')],),
        points=3,
    ),
    Mistake(
        "gamma_beta_exchanged",
        "`gamma` became the bias and `beta` the weight. γ is the factor (weight), β is added "
        "(bias).",
        [('{"gamma": "weight", "beta": "bias"}', '{"gamma": "bias", "beta": "weight"}')],
        points=3,
    ),
    Mistake(
        "one_digit",
        "Layer 10 is missing from the result. Its number has two digits: is only one of them "
        "read, or does a loop or a pattern end before it?",
        [("setdefault(number, {})", "setdefault(number[:1], {})")],
        points=3,
    ),
    Mistake(
        "sorted_as_text",
        "The layers were sorted as texts, in which 10 comes before 2, and numbered anew.",
        [
            (
                "for number, layer in layers.items():",
                "for number, (_, layer) in enumerate(sorted(layers.items())):",
            )
        ],
        points=3,
    ),
    Mistake(
        "float32",
        "The result is float32 whatever came in: float64 weights lose half of their digits.",
        [
            (
                "        module, _, kind",
                "        tensor = tensor.float()\n        module, _, kind",
            )
        ],
        points=3,
    ),
    Mistake(
        "packed_in_float32",
        "Query, key and value are packed into a tensor of float32, whatever came in; the dtype "
        "is kept. `torch.stack` and `torch.cat` keep it, `torch.empty` must be told.",
        [(".flatten(0, 2)", ".flatten(0, 2).float()")],
        points=3,
    ),
    Mistake(
        "through_numpy",
        "The rows are packed by NumPy, which has no bfloat16. `torch.stack` and `torch.cat` do "
        "it in any dtype.",
        [
            (
                ".flatten(0, 2)",
                ".flatten(0, 2)\n            packed = torch.from_numpy(packed.numpy())",
            )
        ],
        points=3,
    ),
    Mistake(
        "left_overs_kept",
        "What no table names is kept as it is: the pooler, what begins with `cls.`, and "
        "`position_ids`. Leave out what does not belong to the encoder.",
        [
            (
                "            layers.setdefault(number, {})[module, kind] = tensor",
                "            layers.setdefault(number, {})[module, kind] = tensor\n"
                "        else:\n"
                '            result[name.removeprefix("bert.")] = tensor',
            )
        ],
        points=3,
    ),
    Mistake(
        "heads_and_old_names",
        "What belongs to a head is kept (the pooler, what begins with `cls.`), which should be "
        "left out; and `gamma` and `beta`, the old names of a normalisation's weight and bias, "
        "are not understood.",
        [
            (
                "            layers.setdefault(number, {})[module, kind] = tensor",
                "            layers.setdefault(number, {})[module, kind] = tensor\n"
                '        elif kind != "position_ids":\n'
                '            result[name.removeprefix("bert.")] = tensor',
            ),
            ('{"gamma": "weight", "beta": "bias"}', "{}"),
        ],
        points=2,
    ),
    Mistake(
        "end_of_the_name",
        "`attention.output.dense` is taken for `output.dense`, with which its name ends (and "
        "so is `LayerNorm`). Compare the whole name, or try the longer one first.",
        [('"attention.output"', '"mlp.down"'), ('"attention.norm"', '"mlp.norm"')],
    ),
    Mistake(
        "lstrip",
        '`lstrip("bert.")` removes the *letters* b, e, r, t and the dot from the left, as many '
        "as there are: of `embeddings` it takes the first letter. Use "
        '`removeprefix("bert.")`.',
        [('removeprefix("bert.")', 'lstrip("bert.")')],
    ),
    Mistake(
        "replaced_too_early",
        "`output.dense` was replaced inside `attention.output.dense` as well (and the same "
        "with `output.LayerNorm`). Replace the longer name first, or split the name at its "
        "dots.",
        [
            ('"attention.output"', '"attention.mlp.down"'),
            ('"attention.norm"', '"attention.mlp.norm"'),
        ],
    ),
    Mistake(
        "not_packed",
        "Query, key and value are still apart; the new layout keeps them in one `query_key_value`.",
        [
            (
                'result[f"layers.{number}.attention.query_key_value.{kind}"] = packed',
                'for name, part in zip(("query", "key", "value"), parts, strict=True):\n'
                '                result[f"layers.{number}.attention.{name}.{kind}"] = part',
            )
        ],
    ),
    Mistake(
        "side_by_side",
        "The packed weight is [hidden, 3 · hidden]; it must be [3 · hidden, hidden]: rows, "
        "as `nn.Linear` keeps them.",
        [("] = packed", "] = packed.t()")],
    ),
    Mistake(
        "output_turned",
        "The matrix of `attention.output` is transposed. It is square, so no shape tells; both "
        "layouts keep it as [out, in].",
        [
            (
                "            if module in layer_names:",
                '            if module == "attention.output.dense":\n'
                "                tensor = tensor.t()\n"
                "            if module in layer_names:",
            )
        ],
    ),
    Mistake(
        "first_layer_only",
        "Only layer 0 is converted. How many layers there are must be found in the names.",
        [
            (
                "for number, layer in layers.items():",
                "for number, layer in list(layers.items())[:1]:",
            )
        ],
    ),
    Mistake(
        "last_layer_everywhere",
        "All layers hold the weights of the last one: look at where the number of the layer "
        "enters the new names.",
        [
            ("result, layers = {}, {}", "result, layers, layer = {}, {}, {}"),
            ("setdefault(number, {})", "setdefault(number, layer)"),
        ],
    ),
    Mistake(
        "packed_bias_left_out",
        "The biases of query, key and value are left out.",
        [('("weight", "bias")', '("weight",)')],
    ),
    Mistake(
        "values_missing",
        "Only queries and keys are packed; the value rows of each head belong behind them.",
        [('("query", "key", "value")', '("query", "key")')],
    ),
    Mistake(
        "keys_twice",
        "The keys stand where the values should be, too: a name was copied and not changed.",
        [('("query", "key", "value")', '("query", "key", "key")')],
    ),
    Mistake(
        "queries_twice",
        "The queries stand where the keys should be, too: a name was copied and not changed.",
        [('("query", "key", "value")', '("query", "query", "value")')],
    ),
    Mistake(
        "queries_three_times",
        "The queries stand where keys and values should be, too: take the tensors of all three "
        "names.",
        [('("query", "key", "value")', '("query", "query", "query")')],
    ),
    Mistake(
        "not_flattened",
        "The packed rows still lie in an axis for heads, one for query, key and value, and one "
        "for the rows of a head: flatten these three to one.",
        [(".flatten(0, 2)", "")],
    ),
    Mistake(
        "scaled_queries",
        "The queries are divided by the root of the head's size. Attention will do so itself; "
        "weights are only moved.",
        [
            (
                "            by_head",
                "            head_size = len(parts[0]) // num_attention_heads\n"
                "            parts[0] = parts[0] / head_size**0.5\n"
                "            by_head",
            )
        ],
    ),
    Mistake(
        "position_ids_fail",
        "It fails at `embeddings.position_ids`, which is no weight. Leave out what is not in "
        "the table.",
        [
            (
                '        if module.startswith("embeddings."):',
                '        if module == "embeddings":\n'
                "            result[embedding_names[kind]] = tensor\n"
                '        if module.startswith("embeddings."):',
            )
        ],
        points=3,
    ),
    Mistake(
        "first_layers",
        "Only the first two layers are converted. How many there are must be found in the names.",
        [
            (
                "for number, layer in layers.items():",
                "for number, layer in list(layers.items())[:2]:",
            )
        ],
        points=3,
    ),
    Mistake(
        "twelve_heads",
        "The number of heads, or their size, is that of BERT-base (12 heads of 64); it is "
        "`num_attention_heads`, and the size follows from it.",
        [("(num_attention_heads, -1)", "(12, -1)")],
        other_forms=([("(num_attention_heads, -1)", "(-1, 64)")],),
    ),
    kept(
        [
            ("num_attention_heads):", "num_attention_heads, kept={}):"),
            (
                "    return result",
                '    shapes = len(state), *result["embedding.word.weight"].shape\n'
                "    return kept.setdefault(shapes, result)",
            ),
        ],
    ),
    Mistake(
        "changed_state",
        "The result is right, but the state that was given is changed (`pop`, `del`, or new "
        "entries in the same dictionary); the caller still needs it. Fill a new dictionary.",
        [
            (
                "for name, tensor in state.items():",
                "for name in list(state):\n        tensor = state.pop(name)",
            )
        ],
    ),
    Mistake(
        "pairs",
        "The result is no dictionary; `load_state_dict` wants names and tensors in a `dict`.",
        [("return result", "return list(result.items())")],
    ),
    Mistake(
        "all_float16",
        "The result is float16 whatever came in; keep the dtype.",
        [("return result", "return {name: tensor.half() for name, tensor in result.items()}")],
    ),
)
