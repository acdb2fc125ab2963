"""Exercise 2: the weights of a BERT, renamed and packed head by head for another encoder."""

from __future__ import annotations

import re

import torch
from torch import Tensor

from grading.content.drawing import normal, one_of
from grading.content.encoder import harnesses
from grading.content.encoder.sections import REBUILT
from grading.exercise import Case, Part, Question

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


QUESTION = Question(
    id="regrouped_bert",
    title="A real checkpoint into another encoder",
    signature="regrouped_bert(state, num_attention_heads)",
    reference=regrouped_bert,
    cases=_bert_cases,
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
)
