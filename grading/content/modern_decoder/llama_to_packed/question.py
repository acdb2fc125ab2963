"""Weights from Meta's own files: other names, neighbours that rotate, and names that are wrong."""

from __future__ import annotations

import re

import torch

from grading.content.drawing import draw_integer, redrawn
from grading.content.modern_decoder import harnesses
from grading.content.modern_decoder.sections import LLAMA
from grading.content.modern_decoder.shared import normal
from grading.exercise import Case, Part, Question


def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    """The state of the book's LanguageModel, from that of Meta's Llama."""
    outside = {
        "tok_embeddings": "decoder.embeddings.word_embeddings",
        "norm": "decoder.stack.final_norm",
        "output": "head",
    }
    inside = {
        "attention.wo": "attention.output",
        "attention_norm": "attention_norm",
        "feed_forward.w1": "feed_forward.gate",
        "feed_forward.w2": "feed_forward.output",
        "feed_forward.w3": "feed_forward.intermediate",
        "ffn_norm": "feed_forward_norm",
    }
    packed = ("attention.wq", "attention.wk", "attention.wv")
    joined = "attention.query_key_value"
    numbers = [int(name.split(".")[1]) for name in state if name.startswith("layers.")]
    layers = range(max(numbers, default=0) + 1)
    expected = {f"{name}.weight" for name in outside}
    expected |= {f"layers.{n}.{name}.weight" for n in layers for name in (*packed, *inside)}
    missing = expected - {"output.weight"} - set(state)
    unknown = set(state) - expected - {"rope.freqs"}
    wrong = sorted(missing | unknown)
    if wrong:
        raise ValueError(f"missing or unknown: {wrong}")

    def halves(rows, heads):
        return rows.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)

    new = {}
    for theirs, ours in outside.items():
        if f"{theirs}.weight" in state:
            new[f"{ours}.weight"] = state[f"{theirs}.weight"]
    for n in layers:
        query, key, value = (state[f"layers.{n}.{name}.weight"] for name in packed)
        query = halves(query, num_attention_heads)
        key = halves(key, num_key_value_heads)
        rows = torch.cat([query, key, value])
        new[f"decoder.stack.layers.{n}.{joined}.weight"] = rows
        for theirs, ours in inside.items():
            new[f"decoder.stack.layers.{n}.{ours}.weight"] = state[f"layers.{n}.{theirs}.weight"]
    return new


def _llama_cases(generator: torch.Generator) -> list[Case]:
    def drawn(
        layers=2, heads=4, kv=2, size=6, hidden=8, tied=False, freqs=False, dtype=torch.float32
    ):
        shapes: dict[str, tuple[int, ...]] = {"tok_embeddings": (5, hidden)}
        wide = hidden + 3
        for n in range(layers):
            shapes |= {
                f"layers.{n}.attention.wq": (heads * size, hidden),
                f"layers.{n}.attention.wk": (kv * size, hidden),
                f"layers.{n}.attention.wv": (kv * size, hidden),
                f"layers.{n}.attention.wo": (hidden, heads * size),
                f"layers.{n}.feed_forward.w1": (wide, hidden),
                f"layers.{n}.feed_forward.w2": (hidden, wide),
                f"layers.{n}.feed_forward.w3": (wide, hidden),
                f"layers.{n}.attention_norm": (hidden,),
                f"layers.{n}.ffn_norm": (hidden,),
            }
        shapes |= {"norm": (hidden,), "output": (5, hidden)}
        if tied:
            del shapes["output"]
        state = {f"{n}.weight": normal(generator, *s) for n, s in shapes.items()}
        state = {n: t.to(dtype) if t.dim() > 1 else t for n, t in state.items()}
        if freqs:
            state["rope.freqs"] = torch.rand(size // 2, generator=generator)
            if not tied:  # equal numbers don't make it tied
                state["output.weight"] = state["tok_embeddings.weight"].clone()
        if layers % 2:  # in another order
            state = dict(reversed(state.items()))
        return [("state", state), ("num_attention_heads", heads), ("num_key_value_heads", kv)]

    def case(title, part, again=False, **options):
        arguments = drawn(**options)
        other = tuple(redrawn(generator, value) for _, value in arguments)
        return Case(title, part, tuple(arguments), again=(other,) if again else ())

    def each(title, without="", added=(), **options):
        """Without each of the names that match, or with each of others."""
        arguments = drawn(**{"hidden": 4, "size": 2, **options})
        names = [name for name in arguments[0][1] if re.fullmatch(without, name)]
        names += [name for name in without.split("|") if name.endswith(".")]
        more = [("without", names), ("added", list(added))]
        return Case(title, "refused", (*arguments, *more), harness=harnesses.each_refused)

    size = (6, 10)[draw_integer(generator, 0, 1)]
    bias = ("wq", "wk", "wv", "wo")[draw_integer(generator, 0, 3)]
    return [
        case("two layers, grouped heads", "core", size=size),
        case("as many key heads as query heads", "core", layers=1, kv=4),
        case("one key head", "core", layers=1, heads=3, kv=1, size=8, hidden=7),
        case("hidden_size is heads × head_size", "core", layers=1, size=4, hidden=16),
        case("called again, other weights", "core", again=True, layers=1, heads=6, size=4),
        case("a tied head", "forms", layers=1, tied=True),
        case("`rope.freqs` is there", "forms", layers=2, freqs=True),
        case(
            "bfloat16, norms in float32",
            "forms",
            layers=1,
            dtype=torch.bfloat16,
            tied=True,
            freqs=True,
        ),
        case("eleven layers", "forms", layers=11, heads=2, kv=1, size=4, hidden=2),
        each(
            "unknown names in a layer",
            added=(
                f"layers.1.attention.{bias}.bias",
                "layers.0.attention.inner_attention.rope.freqs",
                "layers.1.feed_forward.w1.weight_scale",
                "layers.0.norm.weight",
                "layers.1.attention.wo",
            ),
        ),
        each(
            "unknown names outside the layers",
            added=(
                "tok_embeddings.bias",
                "model.norm.weight",
                "model.layers.1.attention.wq.weight",
                "rope.freqs_cis",
                "norm.bias",
                "output.bias",
            ),
            tied=True,
        ),
        each("each name of the first layer missing", r"layers\.0\..*"),
        each("each name of the last layer missing", r"layers\.1\..*"),
        each(
            "the last norm missing, or the embeddings", r"(norm|tok_embeddings)\.weight", tied=True
        ),
        each("a layer that is missing as a whole", "layers.1.|layers.0.", layers=3),
    ]


_BOOK = {
    "tok_embeddings.weight": "decoder.embeddings.word_embeddings.weight",
    "norm.weight": "decoder.stack.final_norm.weight",
    "output.weight": "head.weight",
    "attention.wo.weight": "attention.output.weight",
    "attention_norm.weight": "attention_norm.weight",
    "feed_forward.w1.weight": "feed_forward.gate.weight",
    "feed_forward.w2.weight": "feed_forward.output.weight",
    "feed_forward.w3.weight": "feed_forward.intermediate.weight",
    "ffn_norm.weight": "feed_forward_norm.weight",
}


def _by_popping(state, num_attention_heads, num_key_value_heads):
    """Takes one name after the other out of a copy; what is left over is unknown."""
    left = {name: tensor for name, tensor in state.items() if name != "rope.freqs"}
    new = {}

    def take(name):
        if name not in left:
            raise ValueError(f"no {name}")
        return left.pop(name)

    for name in ("tok_embeddings.weight", "norm.weight"):
        new[_BOOK[name]] = take(name)
    if "output.weight" in left:
        new["head.weight"] = left.pop("output.weight")
    n = 0
    while n == 0 or any(re.match(r"layers\.\d", name) for name in left):
        prefix, result = f"layers.{n}.", f"decoder.stack.layers.{n}."
        rows = []
        for name, heads in (("wq", num_attention_heads), ("wk", num_key_value_heads)):
            old = take(f"{prefix}attention.{name}.weight")
            size = len(old) // heads
            order = torch.cat([torch.arange(0, size, 2), torch.arange(1, size, 2)])
            rows += [old[head * size + order] for head in range(heads)]
        rows.append(take(f"{prefix}attention.wv.weight"))
        new[f"{result}attention.query_key_value.weight"] = torch.cat(rows)
        for name in list(_BOOK)[3:]:
            new[result + _BOOK[name]] = take(prefix + name)
        extra = [name for name in left if name.startswith(prefix)]
        if extra:
            raise ValueError(f"unknown {extra}")
        n += 1
    if left:
        raise ValueError(f"unknown {list(left)}")
    return new


def _by_slices(state, num_attention_heads, num_key_value_heads):
    """Renames with regular expressions; even and odd rows are slices."""
    layers = {int(m[1]) for m in map(re.compile(r"layers\.(\d+)\.").match, state) if m} | {0}
    names = {"tok_embeddings.weight", "norm.weight"} | {
        f"layers.{n}.{name}"
        for n in range(max(layers) + 1)
        for name in [*list(_BOOK)[3:], *(f"attention.w{p}.weight" for p in "qkv")]
    }
    for name in names:
        if name not in state:
            raise ValueError(f"{name} is missing")
    for name in state:
        if name not in names | {"output.weight", "rope.freqs"}:
            raise ValueError(f"{name} is unknown")

    def rotated(old, heads):
        old = old.reshape(heads, -1, old.shape[-1])
        return torch.cat([old[:, ::2], old[:, 1::2]], dim=1).reshape(-1, old.shape[-1])

    new = {}
    for name, tensor in state.items():
        layer = re.match(r"(layers\.\d+\.)(.*)", name)
        if layer and layer[2] in _BOOK:
            new[f"decoder.stack.{layer[1]}{_BOOK[layer[2]]}"] = tensor.clone()
        elif layer and layer[2] == "attention.wq.weight":
            key, value = (state[f"{layer[1]}attention.w{p}.weight"] for p in "kv")
            parts = rotated(tensor, num_attention_heads), rotated(key, num_key_value_heads), value
            new[f"decoder.stack.{layer[1]}attention.query_key_value.weight"] = torch.vstack(parts)
        elif name in _BOOK:
            new[_BOOK[name]] = tensor
    return new


def _row_by_row(state, num_attention_heads, num_key_value_heads):
    """Fills new tensors row by row, after the names were compared as sorted lists."""
    count = len({name.split(".")[1] for name in state if name.startswith("layers.")}) or 1
    count = max([count, *(int(n.split(".")[1]) + 1 for n in state if n.startswith("layers."))])
    full = [f"layers.{n}.attention.w{p}.weight" for n in range(count) for p in "qkv"]
    full += [f"layers.{n}.{name}" for n in range(count) for name in list(_BOOK)[3:]]
    full += list(_BOOK)[:2]
    there = [name for name in state if name not in ("rope.freqs", "output.weight")]
    if sorted(full) != sorted(there):
        raise ValueError(str(set(full).symmetric_difference(there)))
    new = {_BOOK[name]: state[name] for name in list(_BOOK)[:3] if name in state}
    for n in range(count):
        for name in list(_BOOK)[3:]:
            new[f"decoder.stack.layers.{n}.{_BOOK[name]}"] = state[f"layers.{n}.{name}"]
        query, key, value = (state[f"layers.{n}.attention.w{p}.weight"] for p in "qkv")
        size = query.size(0) // num_attention_heads
        rows = torch.zeros_like(torch.cat([query, key, value]))
        rows[len(query) + len(key) :] = value
        for first, part in ((0, query), (len(query), key)):
            for row in range(len(part)):
                head, place = divmod(row, size)
                target = head * size + place // 2 + (place % 2) * (size // 2)
                rows[first + target] = part[row]
        new[f"decoder.stack.layers.{n}.attention.query_key_value.weight"] = rows
    return new


QUESTION = Question(
    id="llama_to_packed",
    title="Weights from Meta's own files",
    signature="llama_to_packed(state, num_attention_heads, num_key_value_heads)",
    reference=llama_to_packed,
    cases=_llama_cases,
    parts=(
        Part("core", "complete states", 2),
        Part("forms", "tied heads, `rope.freqs`, bfloat16, many layers", 1),
        Part("refused", "unknown and missing names", 1),
    ),
    minutes=25,
    difficulty=2,
    section=LLAMA,
    draws=3,
    alternatives={
        "taken out one by one": _by_popping,
        "regular expressions and slices": _by_slices,
        "row by row": _row_by_row,
    },
)
