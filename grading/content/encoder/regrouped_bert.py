"""A real checkpoint into another encoder."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import torch
from torch import Tensor

from grading.content.drawing import normal, one_of
from grading.content.encoder import harnesses
from grading.content.encoder.sections import REBUILT, TYPES
from grading.content.encoder.shared import NONE, Made
from grading.exercise import Case, Exercise, Mistake, Part

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


def _regrouped(made: Made = NONE) -> Callable:
    kinds = {"gamma": "weight", "beta": "bias"}
    if "gamma_beta_exchanged" in made:
        kinds = {"gamma": "bias", "beta": "weight"}
    if "old_names" in made:
        kinds = {}
    embedding_names, layer_names = dict(_EMBEDDING_NAMES), dict(_LAYER_NAMES)
    kept = {"pooler_kept": "pooler.", "head_kept": "cls."}
    others = tuple(start for mistake, start in kept.items() if mistake in made)
    if "norms_exchanged" in made:
        layer_names["attention.output.LayerNorm"] = "mlp.norm"
        layer_names["output.LayerNorm"] = "attention.norm"
    if "up_and_down_exchanged" in made:
        layer_names["intermediate.dense"] = "mlp.down"
        layer_names["output.dense"] = "mlp.up"
    if "tables_exchanged" in made:
        embedding_names["word_embeddings"] = _EMBEDDING_NAMES["position_embeddings"]
        embedding_names["position_embeddings"] = _EMBEDDING_NAMES["word_embeddings"]
    if "segments_left_out" in made:
        del embedding_names["token_type_embeddings"]

    def packed(parts: list[Tensor], heads: int) -> Tensor:
        """Rows of query, key and value in the new order."""
        if "key_first" in made:
            parts = [parts[1], parts[0], parts[2]]
        if "value_first" in made:
            parts = [parts[2], parts[0], parts[1]]
        if "value_second" in made:
            parts = [parts[0], parts[2], parts[1]]
        thirds = "thirds" in made or ("bias_thirds" in made and parts[0].dim() == 1)
        if thirds or ("weight_thirds" in made and parts[0].dim() == 2):
            return torch.cat(parts)
        if "row_by_row" in made:
            return torch.stack(parts, dim=1).flatten(0, 1)
        cut = (-1, heads) if "size_for_heads" in made else (heads, -1)
        by_head = [part.unflatten(0, cut) for part in parts]
        if "row_outside" in made:  # [size, heads, 3]
            return torch.stack([part.transpose(0, 1) for part in by_head], dim=2).flatten(0, 2)
        return torch.stack(by_head, dim=1).flatten(0, 2)

    def regrouped_bert(state, num_attention_heads):
        if "prefix_kept" not in made:
            state = {name.removeprefix("bert."): tensor for name, tensor in state.items()}
        result, layers = {}, {}
        for name, tensor in state.items():
            if "float32" in made and tensor.is_floating_point():
                tensor = tensor.float()
            module, _, kind = name.rpartition(".")
            kind = kinds.get(kind, kind)
            if name == "embeddings.position_ids" and "position_ids_kept" in made:
                result["embedding.position_ids"] = tensor
            elif name.startswith("embeddings."):
                new = embedding_names.get(module.removeprefix("embeddings."))
                if new:
                    result[f"{new}.{kind}"] = tensor
            elif name.startswith("encoder.layer."):
                number, _, module = module.removeprefix("encoder.layer.").partition(".")
                number = number[:1] if "one_digit" in made else number
                layers.setdefault(number, {})[f"{module}.{kind}"] = tensor
            elif name.startswith(others):
                result[name] = tensor
        numbers = list(layers)
        if "sorted_as_text" in made:
            numbers = sorted(numbers)
        for place, number in enumerate(numbers):
            layer = layers[number]
            new = str(place) if "sorted_as_text" in made else number
            if "from_one" in made:
                new = str(int(new) + 1)
            start = f"layers.{new}"
            for kind in ("weight", "bias"):
                parts = [layer[f"attention.self.{p}.{kind}"] for p in ("query", "key", "value")]
                rows = packed(parts, num_attention_heads)
                result[f"{start}.attention.query_key_value.{kind}"] = rows
            for name, tensor in layer.items():
                module, _, kind = name.rpartition(".")
                if module in layer_names:
                    turned = "transposed" in made and tensor.dim() == 2
                    result[f"{start}.{layer_names[module]}.{kind}"] = tensor.T if turned else tensor
        return result

    return regrouped_bert


_right_bert = _regrouped()


def _bert_cases(generator: torch.Generator) -> list[Case]:
    hugging_face = {new: old for old, new in _EMBEDDING_NAMES.items()}
    of_layer = {new: old for old, new in _LAYER_NAMES.items()}

    def case(
        title, part, layers=2, heads=None, size=None, prefix="", old=False, more=False, shown=None,
        dtype=torch.float32,
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
        layout = {n: list(t.shape) for n, t in _right_bert(state, heads).items()}
        arguments = (
            ("state", state),
            ("num_attention_heads", heads),
            ("layout", layout),
            ("shown", shown or [""]),
        )
        return Case(title, part, arguments, harness=harnesses.converted)

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
            prefix="bert.",
            old=True,
            more=True,
            shown=["embedding.norm", "layers.0.attention.norm", "layers.0.mlp.norm"],
        ),
        case(
            "eleven layers (compared: 1 and 10)",
            "old",
            layers=11,
            heads=2,
            size=2,
            old=True,
            shown=["layers.1.attention.output", "layers.10.attention"],
        ),
        case(
            "float64",
            "old",
            layers=1,
            heads=2,
            size=3,
            dtype=torch.float64,
            shown=["layers.0.mlp", "embedding.norm"],
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


def _lstrip(state, num_attention_heads):
    return _right_bert(
        {name.lstrip("bert."): tensor for name, tensor in state.items()},
        num_attention_heads,
    )


def _after_bert(change: Callable[[dict[str, Tensor]], object]) -> Callable:
    return lambda state, heads: change(_right_bert(state, heads))


def _bert_in_place(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    for name in [name for name in state if ".self." in name]:
        del state[name]
    return result


def _renamed_late(state, num_attention_heads):
    """`output.dense` is replaced everywhere, before `attention.output.dense`."""
    result = _right_bert(state, num_attention_heads)
    wrong = {"attention.output": "attention.mlp.down", "attention.norm": "attention.mlp.norm"}
    for name in list(result):
        for right, found in wrong.items():
            if f".{right}." in name:
                result[name.replace(right, found)] = result.pop(name)
    return result


def _qkv_apart(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    for name in [name for name in result if "query_key_value" in name]:
        by_head = result.pop(name).unflatten(0, (num_attention_heads, 3, -1))
        for place, part in enumerate(("query", "key", "value")):
            rows = by_head[:, place].flatten(0, 1)
            result[name.replace("query_key_value", part)] = rows
    return result


def _side_by_side(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    for name in [name for name in result if "query_key_value.weight" in name]:
        result[name] = result[name].T
    return result


def _turned(*endings: str) -> Callable:
    """The right layout with some matrices transposed."""

    def turned(state, num_attention_heads):
        result = _right_bert(state, num_attention_heads)
        return {n: t.T if n.endswith(endings) else t for n, t in result.items()}

    return turned


def _looked_up(state, num_attention_heads):
    for prefix in ("", "bert."):
        if f"{prefix}embeddings.word_embeddings.weight" in state:
            state[f"{prefix}embeddings.LayerNorm.weight"]
    return _right_bert(state, num_attention_heads)


def _first_layer(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    return {n: t for n, t in result.items() if n.startswith(("embedding.", "layers.0."))}


def _same_for_all(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    last = max((int(n.split(".")[1]) for n in result if n.startswith("layers.")), default=0)
    return {n: result[re.sub(r"^layers\.\d+", f"layers.{last}", n)] for n in result}


def _packed_otherwise(change: Callable[[Tensor], Tensor]) -> Callable:
    """What is done to ``[heads, 3, rows of a head, …]`` before it is flattened."""

    def regrouped_bert(state, num_attention_heads):
        result = _right_bert(state, num_attention_heads)
        for name in [name for name in result if "query_key_value" in name]:
            result[name] = change(result[name].unflatten(0, (num_attention_heads, 3, -1)))
        return result

    return regrouped_bert


def _scaled_queries(by_head: Tensor) -> Tensor:
    by_head = by_head.clone()
    by_head[:, 0] /= math.sqrt(by_head.size(2))
    return by_head.flatten(0, 2)


def _all_embeddings_looked_up(state, num_attention_heads):
    for name in state:
        if ".position_ids" in name:
            raise KeyError("position_ids")
    return _right_bert(state, num_attention_heads)


def _first_layers(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    return {n: t for n, t in result.items() if not re.match(r"layers\.([2-9]|\d\d)", n)}


def _without_biases(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    return {n: t for n, t in result.items() if "query_key_value.bias" not in n}


EXERCISE = Exercise(
    id="regrouped_bert",
    title="A real checkpoint into another encoder",
    signature="regrouped_bert(state, num_attention_heads)",
    reference=_right_bert,
    cases=_bert_cases,
    parts=(
        Part("core", "names, and rows grouped by head", 2),
        Part("whole", "a prefix, and what does not belong to the encoder", 1),
        Part("old", "old names, eleven layers, another dtype", 1),
    ),
    minutes=25,
    difficulty=2,
    section=REBUILT,
    variant=_regrouped,
    alternatives={
        "patterns and a list of rows": _bert_by_patterns,
        "name by name, with a view": _bert_by_names,
        "an index of rows": _bert_by_order,
        "an ordered dictionary of copies": lambda state, heads: type(
            "Ordered", (dict,), {"__doc__": "A subclass."}
        )((name, tensor.clone()) for name, tensor in reversed(_right_bert(state, heads).items())),
    },
    mistakes=(
        Mistake(
            "thirds",
            "Query, key and value are packed as in the chapter: first all query rows, then all key "
            "rows, then all value rows. This layout goes head by head: query, key and value rows "
            "of head 0, then those of head 1, and so on.",
        ),
        Mistake(
            "bias_thirds",
            "The weights are grouped by head, but the biases still lie as three thirds. A bias "
            "belongs to its row: reorder both in the same way.",
            _regrouped(frozenset({"bias_thirds"})),
        ),
        Mistake(
            "weight_thirds",
            "The biases are grouped by head, but the weights still lie as three thirds. A bias "
            "belongs to its row: reorder both in the same way.",
            _regrouped(frozenset({"weight_thirds"})),
        ),
        Mistake(
            "row_by_row",
            "Query, key and value alternate row by row. They alternate by heads: all query rows of "
            "a head stay together, then all its key rows, then all its value rows.",
        ),
        Mistake(
            "row_outside",
            "The number of the row within its head runs slowest, and query, key, value fastest. It "
            "must be: heads slowest, then query, key, value, then the rows of the head.",
            _regrouped(frozenset({"row_outside"})),
        ),
        Mistake(
            "size_for_heads",
            "The rows were cut into pieces of `num_attention_heads` rows. There are "
            "`num_attention_heads` pieces, each of hidden / num_attention_heads rows.",
            _regrouped(frozenset({"size_for_heads"})),
        ),
        Mistake(
            "key_first",
            "Keys stand before queries; the order within each head is query, key, value.",
            _regrouped(frozenset({"key_first"})),
        ),
        Mistake(
            "value_first",
            "Values stand first; the order within each head is query, key, value.",
            _regrouped(frozenset({"value_first"})),
        ),
        Mistake(
            "value_second",
            "Each head has its query rows, its value rows, its key rows; the order is query, key, "
            "value.",
            _regrouped(frozenset({"value_second"})),
        ),
        Mistake(
            "transposed",
            "Matrices are transposed; those of the feed-forward part show it by their shape. Both "
            "layouts keep a linear map as `nn.Linear` does, [out, in].",
            _regrouped(frozenset({"transposed"})),
            equivalent=(_turned("mlp.up.weight", "mlp.down.weight"),),
        ),
        Mistake(
            "norms_exchanged",
            "The two normalisations of a layer are exchanged: `attention.output.LayerNorm` follows "
            "attention, `output.LayerNorm` follows the feed-forward part.",
            section="“How sharp is this test?” in chapter 6",
        ),
        Mistake(
            "up_and_down_exchanged",
            "The two maps of the feed-forward part are exchanged: `intermediate.dense` becomes "
            "`mlp.up`, `output.dense` becomes `mlp.down`.",
            _regrouped(frozenset({"up_and_down_exchanged"})),
        ),
        Mistake(
            "tables_exchanged",
            "The tables of words and of positions are exchanged.",
            _regrouped(frozenset({"tables_exchanged"})),
        ),
        Mistake(
            "segments_left_out",
            "The table of segments (`token_type_embeddings`) is left out.",
            _regrouped(frozenset({"segments_left_out"})),
            section=TYPES,
        ),
        Mistake(
            "from_one",
            "The layers are numbered from 1; both layouts count from 0.",
            _regrouped(frozenset({"from_one"})),
        ),
        Mistake(
            "prefix_kept",
            "It finds nothing where the names begin with `bert.`: a whole model keeps its encoder "
            "under that name. Remove the prefix if it is there.",
            points=2,
        ),
        Mistake(
            "position_ids_kept",
            "`position_ids` is kept. It is no weight but the numbers 0, 1, 2, …, which old "
            "checkpoints saved along.",
            points=2,
            alone=True,
        ),
        Mistake(
            "pooler_kept",
            "The pooler is kept; it is a head on top of the encoder and does not belong to it.",
            points=2,
            alone=True,
        ),
        Mistake(
            "head_kept",
            "What begins with `cls.` is kept: those are the heads of pretraining, which do not "
            "belong to the encoder.",
            _regrouped(frozenset({"head_kept"})),
            points=2,
        ),
        Mistake(
            "old_names",
            "`gamma` and `beta` are not understood: so the weight and the bias of a normalisation "
            "were called in old checkpoints.",
            points=3,
            alone=True,
        ),
        Mistake(
            "prefix_not_found",
            "Names are looked up without a prefix, and in a whole model they begin with `bert.`: a "
            "`KeyError`. Find out whether the prefix is there.",
            lambda state, heads: (
                state["embeddings.word_embeddings.weight"] is not None and _right_bert(state, heads)
            ),
            points=2,
        ),
        Mistake(
            "old_names_not_found",
            "`LayerNorm.weight` is looked up where an old checkpoint has `LayerNorm.gamma`: a "
            "`KeyError`. Take the one that is there; the same with bias and `beta`.",
            _looked_up,
            points=3,
        ),
        Mistake(
            "gamma_beta_exchanged",
            "`gamma` became the bias and `beta` the weight. γ is the factor (weight), β is added "
            "(bias).",
            _regrouped(frozenset({"gamma_beta_exchanged"})),
            points=3,
        ),
        Mistake(
            "one_digit",
            "Only one digit of the layer's number is read, so layer 10 is written over layer 1.",
            points=3,
            alone=True,
        ),
        Mistake(
            "sorted_as_text",
            "The layers were sorted as texts, in which 10 comes before 2, and numbered anew.",
            _regrouped(frozenset({"sorted_as_text"})),
            points=3,
        ),
        Mistake(
            "float32",
            "The result is float32 whatever came in: float64 weights lose half of their digits.",
            _regrouped(frozenset({"float32"})),
            points=3,
        ),
        Mistake(
            "lstrip",
            '`lstrip("bert.")` removes the *letters* b, e, r, t and the dot from the left, as many '
            "as there are: of `embeddings` it takes the first letter. Use "
            '`removeprefix("bert.")`.',
            _lstrip,
        ),
        Mistake(
            "replaced_too_early",
            "`output.dense` was replaced inside `attention.output.dense` as well (and the same "
            "with `output.LayerNorm`). Replace the longer name first, or split the name at its "
            "dots.",
            _renamed_late,
        ),
        Mistake(
            "not_packed",
            "Query, key and value are still apart; the new layout keeps them in one "
            "`query_key_value`.",
            _qkv_apart,
        ),
        Mistake(
            "side_by_side",
            "The packed weight is [hidden, 3 · hidden]; it must be [3 · hidden, hidden]: rows, "
            "as `nn.Linear` keeps them.",
            _side_by_side,
        ),
        Mistake(
            "output_turned",
            "The matrix of `attention.output` is transposed. It is square, so no shape tells; both "
            "layouts keep it as [out, in].",
            _turned("attention.output.weight"),
        ),
        Mistake(
            "first_layer_only",
            "Only layer 0 is converted. How many layers there are must be found in the names.",
            _first_layer,
        ),
        Mistake(
            "last_layer_everywhere",
            "All layers hold the weights of the last one: look at where the number of the layer "
            "enters the new names.",
            _same_for_all,
        ),
        Mistake(
            "packed_bias_left_out",
            "The biases of query, key and value are left out.",
            _without_biases,
        ),
        Mistake(
            "values_missing",
            "Only queries and keys are packed; the value rows of each head belong behind them.",
            _packed_otherwise(lambda by_head: by_head[:, :2].flatten(0, 2)),
        ),
        Mistake(
            "keys_twice",
            "The keys stand where the values should be, too: a name was copied and not changed.",
            _packed_otherwise(lambda by_head: by_head[:, [0, 1, 1]].flatten(0, 2)),
        ),
        Mistake(
            "queries_twice",
            "The queries stand where the keys should be, too: a name was copied and not changed.",
            _packed_otherwise(lambda by_head: by_head[:, [0, 0, 2]].flatten(0, 2)),
        ),
        Mistake(
            "queries_three_times",
            "The queries stand where keys and values should be, too: take the tensors of all three "
            "names.",
            _packed_otherwise(lambda by_head: by_head[:, [0, 0, 0]].flatten(0, 2)),
        ),
        Mistake(
            "not_flattened",
            "The packed rows still lie in an axis for heads, one for query, key and value, and one "
            "for the rows of a head: flatten these three to one.",
            _packed_otherwise(lambda by_head: by_head),
        ),
        Mistake(
            "scaled_queries",
            "The queries are divided by the root of the head's size. Attention will do so itself; "
            "weights are only moved.",
            _packed_otherwise(_scaled_queries),
        ),
        Mistake(
            "position_ids_fail",
            "It fails at `embeddings.position_ids`, which is no weight. Leave out what is not in "
            "the table.",
            _all_embeddings_looked_up,
            points=2,
        ),
        Mistake(
            "first_layers",
            "Only the first two layers are converted. How many there are must be found in the "
            "names.",
            _first_layers,
            points=3,
        ),
        Mistake(
            "changed_state",
            "The result is right, but the state that was given is changed (`pop`, `del`, or new "
            "entries in the same dictionary); the caller still needs it. Fill a new dictionary.",
            _bert_in_place,
        ),
        Mistake(
            "pairs",
            "The result is no dictionary; `load_state_dict` wants names and tensors in a `dict`.",
            _after_bert(lambda result: list(result.items())),
        ),
        Mistake(
            "all_float16",
            "The result is float16 whatever came in; keep the dtype.",
            _after_bert(lambda result: {name: t.half() for name, t in result.items()}),
        ),
    ),
)
