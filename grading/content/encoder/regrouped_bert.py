"""Exercise 2: the weights of a BERT, renamed and packed head by head for another encoder."""

from __future__ import annotations

import re

import torch
from torch import Tensor

from grading.content.common import kept
from grading.content.drawing import normal, one_of
from grading.content.encoder import harnesses
from grading.content.encoder.sections import REBUILT, TYPES
from grading.exercise import Case, Exercise, Mistake, Part

# For the cases and the alternatives; the reference has tables of its own, which edits can reach.
_EMBEDDING_NAMES = {
    "word_embeddings": "embedding.word",
    "position_embeddings": "embedding.position",
    "token_type_embeddings": "embedding.segment",
    "LayerNorm": "embedding.norm",
}
_LAYER_NAMES = {
    "attention.output.dense": "attention.output",
    "attention.output.LayerNorm": "attention.norm",
    "intermediate.dense": "mlp.up",
    "output.dense": "mlp.down",
    "output.LayerNorm": "mlp.norm",
}


def regrouped_bert(state, num_attention_heads):
    """Return the weights of a BERT under the new names, packed head by head."""
    embedding_names = {
        "word_embeddings": "embedding.word",
        "position_embeddings": "embedding.position",
        "token_type_embeddings": "embedding.segment",
        "LayerNorm": "embedding.norm",
    }
    layer_names = {
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
        "intermediate.dense": "mlp.up",
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
    }
    result, layers = {}, {}
    for name, tensor in state.items():
        module, _, kind = name.removeprefix("bert.").rpartition(".")
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        if module.startswith("embeddings."):
            module = module.removeprefix("embeddings.")
            result[f"{embedding_names[module]}.{kind}"] = tensor
        elif module.startswith("encoder.layer."):
            number, _, module = module.removeprefix("encoder.layer.").partition(".")
            layers.setdefault(number, {})[module, kind] = tensor
    for number, layer in layers.items():
        for kind in ("weight", "bias"):
            parts = [layer[f"attention.self.{part}", kind] for part in ("query", "key", "value")]
            by_head = [part.unflatten(0, (num_attention_heads, -1)) for part in parts]
            packed = torch.stack(by_head, dim=1).flatten(0, 2)  # from [heads, 3, head_size, ...]
            result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
        for (module, kind), tensor in layer.items():
            if module in layer_names:
                result[f"layers.{number}.{layer_names[module]}.{kind}"] = tensor
    return result


def _bert_cases(generator: torch.Generator) -> list[Case]:
    hugging_face = {new: old for old, new in _EMBEDDING_NAMES.items()}
    of_layer = {new: old for old, new in _LAYER_NAMES.items()}

    def case(
        title, part, layers=2, heads=None, size=None, prefix="", old=False, more=False, shown=None,
        dtype=torch.float32, again=(), harness=harnesses.converted,
    ):  # fmt: skip
        heads = heads or one_of(generator, 2, 3)
        size = size or one_of(generator, 4, 5)
        hidden = heads * size
        vocab, places, segments, wide = hidden + 3, hidden + 1, 2, hidden + 5
        gain, offset = ("gamma", "beta") if old else ("weight", "bias")
        state: dict[str, Tensor] = {}

        def add(name: str, *shape: int) -> None:
            state[prefix + name] = normal(generator, *shape).to(dtype)

        def add_norm(name: str) -> None:
            add(f"{name}.{gain}", hidden)
            add(f"{name}.{offset}", hidden)

        def add_linear(name: str, out: int, into: int) -> None:
            add(f"{name}.weight", out, into)
            add(f"{name}.bias", out)

        if more:
            state[f"{prefix}embeddings.position_ids"] = torch.arange(places)[None]
        for name, rows in (("word", vocab), ("position", places), ("segment", segments)):
            add(f"embeddings.{hugging_face[f'embedding.{name}']}.weight", rows, hidden)
        add_norm("embeddings.LayerNorm")
        for i in range(layers):
            start = f"encoder.layer.{i}."
            for part_name in ("query", "key", "value"):
                add_linear(f"{start}attention.self.{part_name}", hidden, hidden)
            add_linear(f"{start}{of_layer['attention.output']}", hidden, hidden)
            add_norm(f"{start}{of_layer['attention.norm']}")
            add_linear(f"{start}{of_layer['mlp.up']}", wide, hidden)
            add_linear(f"{start}{of_layer['mlp.down']}", hidden, wide)
            add_norm(f"{start}{of_layer['mlp.norm']}")
        if more:
            add_linear("pooler.dense", hidden, hidden)
        if more and prefix:  # what predicts masked words, and the next sentence
            prefix = ""
            add("cls.predictions.bias", vocab)
            add_linear("cls.predictions.transform.dense", hidden, hidden)
            add_norm("cls.predictions.transform.LayerNorm")
            add("cls.predictions.decoder.weight", vocab, hidden)
            add_linear("cls.seq_relationship", 2, hidden)
            state = dict(reversed(state.items()))
            last = f"cls.predictions.transform.LayerNorm.{offset}"
            state[last] = state.pop(last)  # behind the encoder, the rest of the head before it
        layout = {n: list(t.shape) for n, t in regrouped_bert(state, heads).items()}
        arguments = (
            ("state", state),
            ("num_attention_heads", heads),
            ("layout", layout),
            ("shown", shown or [""]),
        )
        return Case(title, part, arguments, harness=harness, again=again)

    def called_again():
        options = {"layers": 1, "shown": ["embedding.", "layers."]}
        others = [case("", "", heads=n, size=18 // n, **options) for n in (3, 6)]
        again = tuple(tuple(value for _, value in other.arguments) for other in others)
        title = "called again, other models, one with more heads"
        return case(title, "core", heads=3, size=6, **options, again=again)

    return [
        case(
            "the weights of a `BertModel`, two layers",
            "core",
            heads=2,
            size=4,
            shown=["embedding.", "layers.0.attention", "layers.1."],
        ),
        case(
            "three heads",
            "core",
            layers=1,
            heads=3,
            size=one_of(generator, 2, 4, 5),
            shown=["layers.0.attention"],
        ),
        called_again(),
        case(
            "with a pooler and position ids",
            "whole",
            layers=1,
            more=True,
            shown=["embedding.norm", "layers.0.attention.query"],
        ),
        case(
            "a whole model for pretraining",
            "whole",
            layers=1,
            prefix="bert.",
            more=True,
            shown=["embedding.norm", "layers.0.attention.query"],
        ),
        case(
            "gamma and beta",
            "old",
            layers=1,
            old=True,
            dtype=torch.float16,
            shown=["embedding.norm", "layers.0.attention.norm", "layers.0.mlp.norm"],
        ),
        case(
            "gamma and beta in a whole model, with a prefix",
            "old",
            layers=1,
            heads=2,
            size=2,
            prefix="bert.",
            old=True,
            more=True,
            harness=harnesses.converted_in_parts,
        ),
        case(
            "thirteen layers (compared: 1 and 10), heads of one row",
            "old",
            layers=13,
            heads=2,
            size=1,
            old=True,
            dtype=torch.bfloat16,
            shown=["layers.1.attention.output", "layers.10.attention"],
        ),
        case(
            "float64, one head",
            "old",
            layers=1,
            heads=1,
            size=6,
            dtype=torch.float64,
            shown=["layers.0.attention.query", "layers.0.mlp", "embedding.norm"],
        ),
    ]


def _bert_by_patterns(state, num_attention_heads):
    rules = (
        (r"^(bert\.)?", ""),
        (r"\.gamma$", ".weight"),
        (r"\.beta$", ".bias"),
        (r"^embeddings\.LayerNorm", "embedding.norm"),
        (r"^embeddings\.word_embeddings", "embedding.word"),
        (r"^embeddings\.position_embeddings", "embedding.position"),
        (r"^embeddings\.token_type_embeddings", "embedding.segment"),
        (r"^encoder\.layer\.", "layers."),
        (r"attention\.output\.LayerNorm", "attention.norm"),
        (r"attention\.output\.dense", "attention.output"),
        (r"intermediate\.dense", "mlp.up"),
        (r"(\d)\.output\.dense", r"\1.mlp.down"),
        (r"(\d)\.output\.LayerNorm", r"\1.mlp.norm"),
    )
    result = {}
    for name, tensor in state.items():
        for pattern, new in rules:
            name = re.sub(pattern, new, name)
        result[name] = tensor
    for name in [name for name in result if ".self.query." in name]:
        rows = []
        parts = [result[name.replace("query", part)] for part in ("query", "key", "value")]
        size = len(parts[0]) // num_attention_heads
        for head in range(num_attention_heads):
            rows += [part[head * size : (head + 1) * size] for part in parts]
        result[name.replace("self.query", "query_key_value")] = torch.cat(rows)
    wanted = ("embedding.", "layers.")
    return {
        name: tensor
        for name, tensor in result.items()
        if name.startswith(wanted) and ".self." not in name
    }


def _bert_by_names(state, num_attention_heads):
    """Ask for each tensor of the new layout."""
    prefix = "bert." if any(name.startswith("bert.") for name in state) else ""

    def get(module: str, kind: str) -> Tensor:
        old = {"weight": "gamma", "bias": "beta"}[kind]
        name = f"{prefix}{module}.{kind}"
        return state[name if name in state else f"{prefix}{module}.{old}"].clone()

    result = {}
    for old, new in _EMBEDDING_NAMES.items():
        for kind in ("weight", "bias") if old == "LayerNorm" else ("weight",):
            result[f"{new}.{kind}"] = get(f"embeddings.{old}", kind)
    i = 0
    while f"{prefix}encoder.layer.{i}.output.dense.weight" in state:
        layer = f"{prefix}encoder.layer.{i}".removeprefix(prefix)
        for kind in ("weight", "bias"):
            for old, new in _LAYER_NAMES.items():
                result[f"layers.{i}.{new}.{kind}"] = get(f"{layer}.{old}", kind)
            parts = [get(f"{layer}.attention.self.{p}", kind) for p in ("query", "key", "value")]
            shape = (3, num_attention_heads, -1, *parts[0].shape[1:])
            packed = torch.cat(parts).view(shape).transpose(0, 1)
            result[f"layers.{i}.attention.query_key_value.{kind}"] = packed.reshape(
                -1, *parts[0].shape[1:]
            )
        i += 1
    return result


def _bert_by_order(state, num_attention_heads):
    """Put the packed rows in order with an index."""
    right = {}
    for name, tensor in state.items():
        name = name.replace("bert.", "").replace("gamma", "weight").replace("beta", "bias")
        pieces = name.split(".")
        if pieces[0] == "embeddings" and pieces[1] != "position_ids":
            right[f"{_EMBEDDING_NAMES[pieces[1]]}.{pieces[-1]}"] = tensor
        if pieces[0] == "encoder":
            module = ".".join(pieces[3:-1])
            if module in _LAYER_NAMES:
                right[f"layers.{pieces[2]}.{_LAYER_NAMES[module]}.{pieces[-1]}"] = tensor
                continue
            hidden = len(tensor)
            size = hidden // num_attention_heads
            place = ("query", "key", "value").index(pieces[5])
            row = torch.arange(hidden)
            target = row // size * 3 * size + place * size + row % size
            packed = f"layers.{pieces[2]}.attention.query_key_value.{pieces[-1]}"
            if packed not in right:
                right[packed] = tensor.new_empty(3 * hidden, *tensor.shape[1:])
            right[packed][target] = tensor
    return right


EXERCISE = Exercise(
    id="regrouped_bert",
    title="A real checkpoint into another encoder",
    signature="regrouped_bert(state, num_attention_heads)",
    reference=regrouped_bert,
    cases=_bert_cases,
    combined=(
        "thirds",
        "row_by_row",
        "norms_exchanged",
        "prefix_kept",
        "only_gamma",
        "left_overs_kept",
        "packed_in_float32",
    ),
    parts=(
        Part("core", "names, and rows grouped by head", 2),
        Part("whole", "a prefix, and what does not belong to the encoder", 1),
        Part("old", "old names, thirteen layers, another dtype", 1),
    ),
    minutes=40,
    difficulty=2,
    section=REBUILT,
    alternatives={
        "patterns and a list of rows": _bert_by_patterns,
        "name by name, with a view": _bert_by_names,
        "an index of rows": _bert_by_order,
        "an ordered dictionary of copies": lambda state, heads: type(
            "Ordered", (dict,), {"__doc__": "A subclass."}
        )(
            (name, tensor.clone())
            for name, tensor in reversed(_bert_by_names(state, heads).items())
        ),
    },
    mistakes=(
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
            "Query, key and value are still apart; the new layout keeps them in one "
            "`query_key_value`.",
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
            "Only the first two layers are converted. How many there are must be found in the "
            "names.",
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
    ),
)
