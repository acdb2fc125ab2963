# %% at_most_twelve_layers | points 3 | Takes layers 0 to 11 only, those of a BERT-base; from layer 12 on they are left out.
import re

RENAMED = {
    "embeddings.word_embeddings": "embedding.word",
    "embeddings.position_embeddings": "embedding.position",
    "embeddings.token_type_embeddings": "embedding.segment",
    "embeddings.LayerNorm": "embedding.norm",
    "attention.output.dense": "attention.output",
    "attention.output.LayerNorm": "attention.norm",
    "intermediate.dense": "mlp.up",
    "output.dense": "mlp.down",
    "output.LayerNorm": "mlp.norm",
}


def packed(query, key, value, heads):
    rows = [part.unflatten(0, (heads, -1)) for part in (query, key, value)]
    return torch.stack(rows, dim=1).flatten(0, 2)


def regrouped_bert(state, num_attention_heads):
    result, parts = {}, {}
    for name, weight in state.items():
        if name.startswith("bert."):
            name = name[5:]
        if name == "embeddings.position_ids":
            continue
        if not name.startswith(("embeddings.", "encoder.")):
            continue
        stem, kind = name.rsplit(".", 1)
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        match = re.fullmatch(r"encoder\.layer\.(\d+)\.(.+)", stem)
        if match is None:
            result[f"{RENAMED[stem]}.{kind}"] = weight
            continue
        number, rest = match[1], match[2]
        if int(number) not in range(12):
            continue
        if rest.startswith("attention.self."):
            parts.setdefault((number, kind), {})[rest.split(".")[-1]] = weight
        else:
            result[f"layers.{number}.{RENAMED[rest]}.{kind}"] = weight
    for (number, kind), three in parts.items():
        result[f"layers.{number}.attention.query_key_value.{kind}"] = packed(
            three["query"], three["key"], three["value"], num_attention_heads
        )
    return result

# %% by_numpy | points 3 | Packs through NumPy, which has no bfloat16.
def regrouped_bert(state, num_attention_heads):
    import numpy as np
    tables = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    inner = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
             "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    clean = {n.removeprefix("bert.").replace(".gamma", ".weight").replace(".beta", ".bias"): t for n, t in state.items()}
    new = {}
    for name, tensor in clean.items():
        pieces = name.split(".")
        kind = pieces[-1]
        if pieces[0] == "embeddings" and pieces[1] in tables:
            new[f"embedding.{tables[pieces[1]]}.{kind}"] = tensor
        elif pieces[0] == "encoder":
            rest = ".".join(pieces[3:-1])
            if rest in inner:
                new[f"layers.{pieces[2]}.{inner[rest]}.{kind}"] = tensor
            elif rest.endswith("query"):
                parts = [clean[name.replace("query", p)].numpy() for p in ("query", "key", "value")]
                parts = [np.split(p, num_attention_heads) for p in parts]
                packed = np.concatenate([part[h] for h in range(num_attention_heads) for part in parts])
                new[f"layers.{pieces[2]}.attention.query_key_value.{kind}"] = torch.from_numpy(packed)
    return new

# %% chapters_conversion_with_new_names | points 0 | chapter's conversion with new names
NAMES = {"encoder.layer.": "layers.", "embeddings.LayerNorm": "embedding.norm",
    "embeddings.word_embeddings": "embedding.word", "embeddings.position_embeddings": "embedding.position",
    "embeddings.token_type_embeddings": "embedding.segment",
    "attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
    "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
def regrouped_bert(state, num_attention_heads):
    out = {}
    for name, t in state.items():
        name = name.removeprefix("bert.")
        for a, b in NAMES.items(): name = name.replace(a, b)
        name = name.replace("gamma", "weight").replace("beta", "bias")
        out[name] = t
    i = 0
    while f"layers.{i}.mlp.up.weight" in out:
        for kind in ("weight", "bias"):
            out[f"layers.{i}.attention.query_key_value.{kind}"] = torch.cat(
                [out.pop(f"layers.{i}.attention.self.{p}.{kind}") for p in ("query", "key", "value")])
        i += 1
    return {n: t for n, t in out.items() if n.startswith(("layers.", "embedding."))}

# %% embedding_norm_old_name | points 3 | gamma and beta are renamed in the layers only, not in the norm of the embeddings.
def regrouped_bert(state: dict[str, Tensor], num_attention_heads: int) -> dict[str, Tensor]:
    state = {name.removeprefix("bert."): tensor for name, tensor in state.items()}
    new = {}
    for old, ours in (
        ("word_embeddings", "word"),
        ("position_embeddings", "position"),
        ("token_type_embeddings", "segment"),
    ):
        new[f"embedding.{ours}.weight"] = state[f"embeddings.{old}.weight"]
    for kind in ("weight", "bias", "gamma", "beta"):
        if f"embeddings.LayerNorm.{kind}" in state:
            new[f"embedding.norm.{kind}"] = state[f"embeddings.LayerNorm.{kind}"]

    def get(prefix, kind):
        old = {"weight": "gamma", "bias": "beta"}[kind]
        if f"{prefix}.{kind}" in state:
            return state[f"{prefix}.{kind}"]
        return state[f"{prefix}.{old}"]

    i = 0
    while f"encoder.layer.{i}.attention.self.query.weight" in state:
        p, n = f"encoder.layer.{i}", f"layers.{i}"
        for kind in ("weight", "bias"):
            parts = [
                state[f"{p}.attention.self.{x}.{kind}"].chunk(num_attention_heads, dim=0)
                for x in ("query", "key", "value")
            ]
            rows = [part[h] for h in range(num_attention_heads) for part in parts]
            new[f"{n}.attention.query_key_value.{kind}"] = torch.cat(rows)
            new[f"{n}.attention.output.{kind}"] = get(f"{p}.attention.output.dense", kind)
            new[f"{n}.attention.norm.{kind}"] = get(f"{p}.attention.output.LayerNorm", kind)
            new[f"{n}.mlp.up.{kind}"] = get(f"{p}.intermediate.dense", kind)
            new[f"{n}.mlp.down.{kind}"] = get(f"{p}.output.dense", kind)
            new[f"{n}.mlp.norm.{kind}"] = get(f"{p}.output.LayerNorm", kind)
        i += 1
    return new

# %% ends_with_output | points 0 | Looks at the end of the name only, so attention.output.dense is taken for output.dense.
def regrouped_bert(state, num_attention_heads):
    clean = {}
    for name, tensor in state.items():
        name = name.removeprefix("bert.")
        if name.endswith(".gamma"):
            name = name[:-6] + ".weight"
        if name.endswith(".beta"):
            name = name[:-5] + ".bias"
        clean[name] = tensor
    ends = {
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
        "intermediate.dense": "mlp.up",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
    }
    tables = {"word_embeddings": "word", "position_embeddings": "position",
              "token_type_embeddings": "segment", "LayerNorm": "norm"}
    new = {}
    for name, tensor in clean.items():
        module, kind = name.rsplit(".", 1)
        if name.startswith("embeddings."):
            table = module.split(".")[-1]
            if table in tables:
                new[f"embedding.{tables[table]}.{kind}"] = tensor
        elif name.startswith("encoder.layer."):
            i = name.split(".")[2]
            for end, target in ends.items():
                if module.endswith(end):
                    new[f"layers.{i}.{target}.{kind}"] = tensor
                    break
            if module.endswith("query"):
                rows = [clean[f"encoder.layer.{i}.attention.self.{p}.{kind}"]
                        .unflatten(0, (num_attention_heads, -1)) for p in ("query", "key", "value")]
                new[f"layers.{i}.attention.query_key_value.{kind}"] = torch.cat(rows, 1).flatten(0, 1)
    return new

# %% half_precision_widened | points 3 | Packs into float32, unless it is float64: float16 and bfloat16 are widened.
def regrouped_bert(state, num_attention_heads):
    tables = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    inner = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
             "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    clean = {n.removeprefix("bert.").replace(".gamma", ".weight").replace(".beta", ".bias"): t for n, t in state.items()}
    new = {}
    for name, tensor in clean.items():
        pieces = name.split(".")
        kind = pieces[-1]
        if pieces[0] == "embeddings" and pieces[1] in tables:
            new[f"embedding.{tables[pieces[1]]}.{kind}"] = tensor
        elif pieces[0] == "encoder":
            rest = ".".join(pieces[3:-1])
            if rest in inner:
                new[f"layers.{pieces[2]}.{inner[rest]}.{kind}"] = tensor
            elif rest.endswith("query"):
                rows = torch.zeros(3 * len(tensor), *tensor.shape[1:], dtype=torch.float64 if tensor.dtype == torch.float64 else torch.float32)
                size = len(tensor) // num_attention_heads
                for place, part in enumerate(("query", "key", "value")):
                    for head in range(num_attention_heads):
                        start = (3 * head + place) * size
                        rows[start : start + size] = clean[name.replace("query", part)][head * size : head * size + size]
                new[f"layers.{pieces[2]}.attention.query_key_value.{kind}"] = rows
    return new

# %% head_kept_and_beta_forgotten | points 2 | What it does not know keeps its name, the pooler for example; and beta is not renamed.
def regrouped_bert(state, num_attention_heads):
    embedding_names = {
        "embeddings.word_embeddings": "embedding.word",
        "embeddings.position_embeddings": "embedding.position",
        "embeddings.token_type_embeddings": "embedding.segment",
        "embeddings.LayerNorm": "embedding.norm",
    }
    layer_names = {
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
        "intermediate.dense": "mlp.up",
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
    }
    clean = {}
    for name, tensor in state.items():
        name = name.removeprefix("bert.").replace("LayerNorm.gamma", "LayerNorm.weight")
        clean[name] = tensor
    result = {}
    for name, tensor in clean.items():
        module, _, kind = name.rpartition(".")
        if module in embedding_names:
            result[f"{embedding_names[module]}.{kind}"] = tensor
        elif name.startswith("encoder.layer."):
            number, module = module.removeprefix("encoder.layer.").split(".", 1)
            if module in layer_names:
                result[f"layers.{number}.{layer_names[module]}.{kind}"] = tensor
            elif module == "attention.self.query":
                parts = [clean[name.replace("query", p)] for p in ("query", "key", "value")]
                parts = [p.unflatten(0, (num_attention_heads, -1)) for p in parts]
                result[f"layers.{number}.attention.query_key_value.{kind}"] = torch.stack(parts, 1).flatten(0, 2)
        else:
            result[name] = tensor
    return result

# %% head_kept_and_old_names_lost | points 2 | Keeps the pooler and the head under their names, and does not know gamma and beta.
def regrouped_bert(state, num_attention_heads):
    renames = [
        ("bert.", ""),
        ("embeddings.word_embeddings", "embedding.word"),
        ("embeddings.position_embeddings", "embedding.position"),
        ("embeddings.token_type_embeddings", "embedding.segment"),
        ("embeddings.LayerNorm", "embedding.norm"),
        ("encoder.layer.", "layers."),
        ("attention.output.dense", "attention.output"),
        ("attention.output.LayerNorm", "attention.norm"),
        ("intermediate.dense", "mlp.up"),
        ("output.dense", "mlp.down"),
        ("output.LayerNorm", "mlp.norm"),
    ]
    new = {}
    for name, tensor in state.items():
        if "position_ids" in name or "self.key" in name or "self.value" in name:
            continue
        short = name
        for before, after in renames:
            short = short.replace(before, after)
        if "self.query" in name:
            parts = [state[name.replace("self.query", f"self.{p}")] for p in ("query", "key", "value")]
            parts = [p.unflatten(0, (num_attention_heads, -1)) for p in parts]
            tensor = torch.stack(parts, dim=1).flatten(0, 2)
            short = short.replace("self.query", "query_key_value")
        new[short] = tensor
    return new

# %% head_listed_by_todays_names | points 3 | What belongs to a head is listed by the names of today, so its gamma and beta are not left out.
OUTER = {"embeddings.word_embeddings": "embedding.word", "embeddings.position_embeddings": "embedding.position",
         "embeddings.token_type_embeddings": "embedding.segment", "embeddings.LayerNorm": "embedding.norm"}
INNER = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
         "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
LEFT_OUT = {"embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias", "cls.predictions.bias",
            "cls.predictions.transform.dense.weight", "cls.predictions.transform.dense.bias",
            "cls.predictions.transform.LayerNorm.weight", "cls.predictions.transform.LayerNorm.bias",
            "cls.predictions.decoder.weight", "cls.seq_relationship.weight", "cls.seq_relationship.bias"}


def regrouped_bert(state, num_attention_heads):
    new, packs = {}, {}
    for name, tensor in state.items():
        name = name.removeprefix("bert.")
        if name in LEFT_OUT:
            continue
        stem, kind = name.rsplit(".", 1)
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        if stem in OUTER:
            new[f"{OUTER[stem]}.{kind}"] = tensor
            continue
        number, rest = stem.split(".", 3)[2:]
        if rest.startswith("attention.self."):
            packs.setdefault((number, kind), {})[rest.rsplit(".", 1)[1]] = tensor
        else:
            new[f"layers.{number}.{INNER[rest]}.{kind}"] = tensor
    for (number, kind), pack in packs.items():
        parts = [pack[which].unflatten(0, (num_attention_heads, -1)) for which in ("query", "key", "value")]
        new[f"layers.{number}.attention.query_key_value.{kind}"] = torch.cat(parts, dim=1).flatten(0, 1)
    return new

# %% heads_of_bert_base | points 0 | always as many heads as BERT-base
def regrouped_bert(state, num_attention_heads):
    tables = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    parts = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
             "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    plain, new = {}, {}
    for name, t in state.items():
        if name.startswith("bert."):
            name = name[5:]
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        plain[name] = t
    for name, t in plain.items():
        words = name.split(".")
        if words[0] == "embeddings" and words[1] in tables:
            new[f"embedding.{tables[words[1]]}.{words[2]}"] = t
        elif words[0] == "encoder":
            i, kind, middle = words[2], words[-1], ".".join(words[3:-1])
            if middle in parts:
                new[f"layers.{i}.{parts[middle]}.{kind}"] = t
            elif middle.endswith("query"):
                three = [plain[name.replace("query", w)] for w in ("query", "key", "value")]
                heads = 12
                size = three[0].shape[0] // heads
                rows = [x[h * size : (h + 1) * size] for h in range(heads) for x in three]
                new[f"layers.{i}.attention.query_key_value.{kind}"] = torch.cat(rows)
    return new

# %% in_the_order_found | points 3 | Packs query, key and value in the order in which the state has them.
def regrouped_bert(state, num_attention_heads):
    emb = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    lay = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm", "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    result, found = {}, {}
    for name, tensor in state.items():
        module, _, kind = name.removeprefix("bert.").rpartition(".")
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        words = module.split(".")
        if words[0] == "embeddings" and words[-1] in emb:
            result[f"embedding.{emb[words[-1]]}.{kind}"] = tensor
        if words[0] == "encoder":
            rest = ".".join(words[3:])
            if rest in lay:
                result[f"layers.{words[2]}.{lay[rest]}.{kind}"] = tensor
            else:
                found.setdefault((words[2], kind), []).append(tensor.unflatten(0, (num_attention_heads, -1)))
    for (number, kind), parts in found.items():
        result[f"layers.{number}.attention.query_key_value.{kind}"] = torch.stack(parts, 1).flatten(0, 2)
    return result

# %% keeps_the_pooler | points 3 | Weights that are in no table are kept under their old names, so pooler, cls and position_ids stay.
def regrouped_bert(state, num_attention_heads):
    renames = [
        ("embeddings.word_embeddings.", "embedding.word."),
        ("embeddings.position_embeddings.", "embedding.position."),
        ("embeddings.token_type_embeddings.", "embedding.segment."),
        ("embeddings.LayerNorm.", "embedding.norm."),
        ("encoder.layer.", "layers."),
        (".attention.output.dense.", ".attention.output."),
        (".attention.output.LayerNorm.", ".attention.norm."),
        (".intermediate.dense.", ".mlp.up."),
        (".output.dense.", ".mlp.down."),
        (".output.LayerNorm.", ".mlp.norm."),
        (".gamma", ".weight"),
        (".beta", ".bias"),
    ]
    new = {}
    for name, tensor in state.items():
        name = name.removeprefix("bert.")
        for old, fresh in renames:
            name = name.replace(old, fresh)
        new[name] = tensor
    for name in [n for n in new if ".attention.self.query." in n]:
        rows = [
            new.pop(name.replace("query", part)).unflatten(0, (num_attention_heads, -1))
            for part in ("query", "key", "value")
        ]
        target = name.replace("self.query", "query_key_value")
        new[target] = torch.stack(rows, dim=1).flatten(0, 2)
    return new

# %% layers_from_one | points 0 | layers are counted from 1
def regrouped_bert(state: dict[str, Tensor], num_attention_heads: int) -> dict[str, Tensor]:
    """The state of an encoder that packs query, key and value head by head."""
    embedding_names = {
        "word_embeddings": "word",
        "position_embeddings": "position",
        "token_type_embeddings": "segment",
        "LayerNorm": "norm",
    }
    layer_names = {
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
        "intermediate.dense": "mlp.up",
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
    }
    clean = {}  # without prefix, without old names
    for name, tensor in state.items():
        module, _, kind = name.removeprefix("bert.").rpartition(".")
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        clean[f"{module}.{kind}"] = tensor

    result = {}
    for name, tensor in clean.items():
        first, *middle, kind = name.split(".")
        if first == "embeddings" and middle and middle[0] in embedding_names:
            result[f"embedding.{embedding_names[middle[0]]}.{kind}"] = tensor
        if first != "encoder":
            continue
        number, module = int(middle[1]) + 1, ".".join(middle[2:])
        if module in layer_names:
            result[f"layers.{number}.{layer_names[module]}.{kind}"] = tensor
        if module == "attention.self.query":
            parts = [clean[name.replace("query", part)] for part in ("query", "key", "value")]
            by_head = [part.unflatten(0, (num_attention_heads, -1)) for part in parts]
            packed = torch.stack(by_head, dim=1).flatten(0, 2)
            result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return result

# %% norm_of_the_head_taken_for_that_of_the_embeddings | points 3 | Every normalisation outside the layers is taken for that of the embeddings, so that of a head (cls.predictions.transform.LayerNorm) replaces it if it comes later.
EMBEDDINGS = {
    "embeddings.word_embeddings": "embedding.word",
    "embeddings.position_embeddings": "embedding.position",
    "embeddings.token_type_embeddings": "embedding.segment",
    "embeddings.LayerNorm": "embedding.norm",
}
INSIDE = {
    "attention.output.dense": "attention.output",
    "attention.output.LayerNorm": "attention.norm",
    "intermediate.dense": "mlp.up",
    "output.dense": "mlp.down",
    "output.LayerNorm": "mlp.norm",
}
KINDS = {"weight": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}


def pack(query, key, value, heads):
    size = query.shape[0] // heads
    rows = []
    for head in range(heads):
        for tensor in (query, key, value):
            rows.append(tensor[head * size : (head + 1) * size])
    return torch.cat(rows)


def regrouped_bert(state, num_attention_heads):
    new, waiting = {}, {}
    for name, tensor in state.items():
        if name.startswith("bert."):
            name = name[len("bert.") :]
        module, _, kind = name.rpartition(".")
        if module.endswith("LayerNorm") and "encoder.layer" not in module:
            new["embedding.norm." + KINDS[kind]] = tensor.clone()
        elif module in EMBEDDINGS:
            new[EMBEDDINGS[module] + "." + KINDS[kind]] = tensor.clone()
        elif module.startswith("encoder.layer."):
            number, _, inside = module[len("encoder.layer.") :].partition(".")
            if inside in INSIDE:
                new[f"layers.{number}.{INSIDE[inside]}.{KINDS[kind]}"] = tensor.clone()
            else:
                waiting.setdefault((number, kind), {})[inside.split(".")[-1]] = tensor
    for (number, kind), parts in waiting.items():
        packed = pack(parts["query"], parts["key"], parts["value"], num_attention_heads)
        new[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return new

# %% one_model_for_all | points 0 | the first model of these sizes is given to all
_seen = {}

def regrouped_bert(state, num_attention_heads):
    tables = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    parts = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
             "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    plain, new = {}, {}
    for name, t in state.items():
        if name.startswith("bert."):
            name = name[5:]
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        plain[name] = t
    for name, t in plain.items():
        words = name.split(".")
        if words[0] == "embeddings" and words[1] in tables:
            new[f"embedding.{tables[words[1]]}.{words[2]}"] = t
        elif words[0] == "encoder":
            i, kind, middle = words[2], words[-1], ".".join(words[3:-1])
            if middle in parts:
                new[f"layers.{i}.{parts[middle]}.{kind}"] = t
            elif middle.endswith("query"):
                three = [plain[name.replace("query", w)] for w in ("query", "key", "value")]
                heads = num_attention_heads
                size = three[0].shape[0] // heads
                rows = [x[h * size : (h + 1) * size] for h in range(heads) for x in three]
                new[f"layers.{i}.attention.query_key_value.{kind}"] = torch.cat(rows)
    key = num_attention_heads, len(state), tuple(new["embedding.word.weight"].shape)
    return _seen.setdefault(key, new)

# %% order_kept_by_hidden_size | points 0 | The order of the packed rows is kept by the hidden size and not by the number of heads.
_orders = {}


def order_of(hidden, heads):
    if hidden not in _orders:
        size = hidden // heads
        order = []
        for head in range(heads):
            for part in range(3):
                start = part * hidden + head * size
                order += range(start, start + size)
        _orders[hidden] = torch.tensor(order)
    return _orders[hidden]


def regrouped_bert(state, num_attention_heads):
    clean = {}
    for name, tensor in state.items():
        name = name.removeprefix("bert.")
        if name.endswith(".gamma"):
            name = name[: -len("gamma")] + "weight"
        if name.endswith(".beta"):
            name = name[: -len("beta")] + "bias"
        clean[name] = tensor
    table = {
        "embeddings.word_embeddings": "embedding.word",
        "embeddings.position_embeddings": "embedding.position",
        "embeddings.token_type_embeddings": "embedding.segment",
        "embeddings.LayerNorm": "embedding.norm",
    }
    inner = {
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
        "intermediate.dense": "mlp.up",
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
    }
    new = {}
    for name, tensor in clean.items():
        module, _, kind = name.rpartition(".")
        if module in table:
            new[f"{table[module]}.{kind}"] = tensor
        if not module.startswith("encoder.layer."):
            continue
        number, _, rest = module.removeprefix("encoder.layer.").partition(".")
        if rest in inner:
            new[f"layers.{number}.{inner[rest]}.{kind}"] = tensor
        if rest == "attention.self.query":
            parts = [clean[name.replace("query", p)] for p in ("query", "key", "value")]
            packed = torch.cat(parts)
            new[f"layers.{number}.attention.query_key_value.{kind}"] = packed[
                order_of(len(tensor), num_attention_heads)
            ]
    return new

# %% order_of_appearance | points 3 | Collects the three parts in the order in which they stand in the dictionary.
TABLE = {
    "attention.output.dense": "attention.output",
    "attention.output.LayerNorm": "attention.norm",
    "intermediate.dense": "mlp.up",
    "output.dense": "mlp.down",
    "output.LayerNorm": "mlp.norm",
}
EMBEDDINGS = {
    "embeddings.word_embeddings": "embedding.word",
    "embeddings.position_embeddings": "embedding.position",
    "embeddings.token_type_embeddings": "embedding.segment",
    "embeddings.LayerNorm": "embedding.norm",
}


def regrouped_bert(state, num_attention_heads):
    old = {}
    for name, tensor in state.items():
        if name.startswith("bert."):
            name = name[len("bert.") :]
        if name.endswith(".gamma"):
            name = name[: -len("gamma")] + "weight"
        if name.endswith(".beta"):
            name = name[: -len("beta")] + "bias"
        old[name] = tensor
    new = {}
    waiting = {}
    for name, tensor in old.items():
        module, _, kind = name.rpartition(".")
        if module in EMBEDDINGS:
            new[EMBEDDINGS[module] + "." + kind] = tensor
        elif module.startswith("encoder.layer."):
            number, rest = module[len("encoder.layer.") :].split(".", 1)
            if rest in TABLE:
                new[f"layers.{number}.{TABLE[rest]}.{kind}"] = tensor
            elif rest.startswith("attention.self."):
                qkv = waiting.setdefault((number, kind), [])
                qkv.append(tensor)
                if len(qkv) < 3:
                    continue
                size = tensor.size(0) // num_attention_heads
                rows = []
                for h in range(num_attention_heads):
                    rows += [t[h * size : (h + 1) * size] for t in qkv]
                new[f"layers.{number}.attention.query_key_value.{kind}"] = torch.cat(rows)
    return new

# %% packed_in_float32 | points 3 | The packed matrix is a new tensor in float32, whatever the dtype of the checkpoint.
def regrouped_bert(state, num_attention_heads):
    old = {}
    for name, tensor in state.items():
        name = name.removeprefix("bert.")
        if name.endswith("gamma"):
            name = name.replace("gamma", "weight")
        elif name.endswith("beta"):
            name = name.replace("beta", "bias")
        old[name] = tensor
    names = {
        "embeddings.word_embeddings": "embedding.word",
        "embeddings.position_embeddings": "embedding.position",
        "embeddings.token_type_embeddings": "embedding.segment",
        "embeddings.LayerNorm": "embedding.norm",
    }
    i = 0
    while f"encoder.layer.{i}.attention.self.query.weight" in old:
        here, there = f"encoder.layer.{i}", f"layers.{i}"
        names[f"{here}.attention.output.dense"] = f"{there}.attention.output"
        names[f"{here}.attention.output.LayerNorm"] = f"{there}.attention.norm"
        names[f"{here}.intermediate.dense"] = f"{there}.mlp.up"
        names[f"{here}.output.dense"] = f"{there}.mlp.down"
        names[f"{here}.output.LayerNorm"] = f"{there}.mlp.norm"
        i += 1
    new = {}
    for name, tensor in old.items():
        module, _, kind = name.rpartition(".")
        if module in names:
            new[f"{names[module]}.{kind}"] = tensor.clone()
    for layer in range(i):
        for kind in ("weight", "bias"):
            parts = [old[f"encoder.layer.{layer}.attention.self.{p}.{kind}"]
                     for p in ("query", "key", "value")]
            rows = parts[0].size(0)
            size = rows // num_attention_heads
            packed = torch.empty(3 * rows, *parts[0].shape[1:])
            for head in range(num_attention_heads):
                for j, part in enumerate(parts):
                    start = (3 * head + j) * size
                    packed[start : start + size] = part[head * size : (head + 1) * size]
            new[f"layers.{layer}.attention.query_key_value.{kind}"] = packed
    return new

# %% plain_bertmodel_only | points 2 | plain BertModel only
def regrouped_bert(state, num_attention_heads):
    import re
    out = {}
    emb = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    lay = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
           "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    for name, t in state.items():
        p = name.split(".")
        if p[0] == "embeddings":
            out[f"embedding.{emb[p[1]]}.{p[2]}"] = t
        else:
            i, k, mid = p[2], p[-1], ".".join(p[3:-1])
            if mid in lay: out[f"layers.{i}.{lay[mid]}.{k}"] = t
            elif mid.endswith("query"):
                rows = [state[name.replace("query", q)].chunk(num_attention_heads) for q in ("query", "key", "value")]
                out[f"layers.{i}.attention.query_key_value.{k}"] = torch.cat(sum(([a, b, c] for a, b, c in zip(*rows)), []))
    return out

# %% prefix_elif_gamma | points 3 | Removes the prefix or renames gamma and beta, never both in one name.
def regrouped_bert(state: dict[str, Tensor], num_attention_heads: int) -> dict[str, Tensor]:
    """The state of an encoder that packs query, key and value head by head."""
    embedding_names = {
        "word_embeddings": "word",
        "position_embeddings": "position",
        "token_type_embeddings": "segment",
        "LayerNorm": "norm",
    }
    layer_names = {
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
        "intermediate.dense": "mlp.up",
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
    }
    old_names = {"gamma": "weight", "beta": "bias"}
    prefix = "bert." if next(iter(state)).startswith("bert.") else ""
    clean = {}
    for name, tensor in state.items():
        if name.startswith("bert."):
            name = name.removeprefix("bert.")
        elif name.endswith(("gamma", "beta")):
            name = name.replace("gamma", "weight").replace("beta", "bias")
        clean[name] = tensor

    result = {}
    for name, tensor in clean.items():
        parts = name.split(".")
        kind = parts[-1]
        if parts[0] == "embeddings" and parts[1] in embedding_names:
            result[f"embedding.{embedding_names[parts[1]]}.{kind}"] = tensor
        elif parts[0] == "encoder":
            number, module = parts[2], ".".join(parts[3:-1])
            if module in layer_names:
                result[f"layers.{number}.{layer_names[module]}.{kind}"] = tensor
            elif module == "attention.self.query":
                three = [clean[name.replace("query", p)] for p in ("query", "key", "value")]
                three = [t.unflatten(0, (num_attention_heads, -1)) for t in three]
                packed = torch.cat(three, dim=1).flatten(0, 1)
                result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return result

# %% prefix_of_the_first_name | points 3 | Looks at the first name only, to see whether there is a prefix; names of a head may stand before it.
def regrouped_bert(state: dict[str, Tensor], num_attention_heads: int) -> dict[str, Tensor]:
    """The state of an encoder that packs query, key and value head by head."""
    embedding_names = {
        "word_embeddings": "word",
        "position_embeddings": "position",
        "token_type_embeddings": "segment",
        "LayerNorm": "norm",
    }
    layer_names = {
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
        "intermediate.dense": "mlp.up",
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
    }
    old_names = {"gamma": "weight", "beta": "bias"}
    prefix = "bert." if next(iter(state)).startswith("bert.") else ""
    clean = {}
    for name, tensor in state.items():
        module, _, kind = name.removeprefix(prefix).rpartition(".")
        clean[f"{module}.{old_names.get(kind, kind)}"] = tensor

    result = {}
    for name, tensor in clean.items():
        parts = name.split(".")
        kind = parts[-1]
        if parts[0] == "embeddings" and parts[1] in embedding_names:
            result[f"embedding.{embedding_names[parts[1]]}.{kind}"] = tensor
        elif parts[0] == "encoder":
            number, module = parts[2], ".".join(parts[3:-1])
            if module in layer_names:
                result[f"layers.{number}.{layer_names[module]}.{kind}"] = tensor
            elif module == "attention.self.query":
                three = [clean[name.replace("query", p)] for p in ("query", "key", "value")]
                three = [t.unflatten(0, (num_attention_heads, -1)) for t in three]
                packed = torch.cat(three, dim=1).flatten(0, 1)
                result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return result

# %% prefix_unknown | points 3 | finds nothing behind `bert.`
def regrouped_bert(state, num_attention_heads):
    tables = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    parts = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
             "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    plain, new = {}, {}
    for name, t in state.items():
        if False:
            name = name[5:]
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        plain[name] = t
    for name, t in plain.items():
        words = name.split(".")
        if words[0] == "embeddings" and words[1] in tables:
            new[f"embedding.{tables[words[1]]}.{words[2]}"] = t
        elif words[0] == "encoder":
            i, kind, middle = words[2], words[-1], ".".join(words[3:-1])
            if middle in parts:
                new[f"layers.{i}.{parts[middle]}.{kind}"] = t
            elif middle.endswith("query"):
                three = [plain[name.replace("query", w)] for w in ("query", "key", "value")]
                heads = num_attention_heads
                size = three[0].shape[0] // heads
                rows = [x[h * size : (h + 1) * size] for h in range(heads) for x in three]
                new[f"layers.{i}.attention.query_key_value.{kind}"] = torch.cat(rows)
    return new

# %% returns_nothing | points 0 | returns nothing
def regrouped_bert(state, num_attention_heads):
    out = {n: t for n, t in state.items()}

# %% ten_layers | points 3 | a pattern that knows one digit
def regrouped_bert(state, num_attention_heads):
    tables = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    parts = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
             "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    plain, new = {}, {}
    for name, t in state.items():
        if name.startswith("bert."):
            name = name[5:]
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        plain[name] = t
    for name, t in plain.items():
        words = name.split(".")
        if words[0] == "embeddings" and words[1] in tables:
            new[f"embedding.{tables[words[1]]}.{words[2]}"] = t
        elif words[0] == "encoder" and len(words[2]) == 1:
            i, kind, middle = words[2], words[-1], ".".join(words[3:-1])
            if middle in parts:
                new[f"layers.{i}.{parts[middle]}.{kind}"] = t
            elif middle.endswith("query"):
                three = [plain[name.replace("query", w)] for w in ("query", "key", "value")]
                heads = num_attention_heads
                size = three[0].shape[0] // heads
                rows = [x[h * size : (h + 1) * size] for h in range(heads) for x in three]
                new[f"layers.{i}.attention.query_key_value.{kind}"] = torch.cat(rows)
    return new

# %% tokens_and_positions_exchanged | points 0 | tokens and positions exchanged
def regrouped_bert(state: dict[str, Tensor], num_attention_heads: int) -> dict[str, Tensor]:
    """The state of an encoder that packs query, key and value head by head."""
    embedding_names = {
        "word_embeddings": "position",
        "position_embeddings": "word",
        "token_type_embeddings": "segment",
        "LayerNorm": "norm",
    }
    layer_names = {
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
        "intermediate.dense": "mlp.up",
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
    }
    clean = {}  # without prefix, without old names
    for name, tensor in state.items():
        module, _, kind = name.removeprefix("bert.").rpartition(".")
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        clean[f"{module}.{kind}"] = tensor

    result = {}
    for name, tensor in clean.items():
        first, *middle, kind = name.split(".")
        if first == "embeddings" and middle and middle[0] in embedding_names:
            result[f"embedding.{embedding_names[middle[0]]}.{kind}"] = tensor
        if first != "encoder":
            continue
        number, module = middle[1], ".".join(middle[2:])
        if module in layer_names:
            result[f"layers.{number}.{layer_names[module]}.{kind}"] = tensor
        if module == "attention.self.query":
            parts = [clean[name.replace("query", part)] for part in ("query", "key", "value")]
            by_head = [part.unflatten(0, (num_attention_heads, -1)) for part in parts]
            packed = torch.stack(by_head, dim=1).flatten(0, 2)
            result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return result

# %% two_layers_hard_coded | points 0 | two layers hard-coded
def regrouped_bert(state, num_attention_heads):
    out = {"embedding.word.weight": state["embeddings.word_embeddings.weight"],
        "embedding.position.weight": state["embeddings.position_embeddings.weight"],
        "embedding.segment.weight": state["embeddings.token_type_embeddings.weight"]}
    for k in ("weight", "bias"):
        out[f"embedding.norm.{k}"] = state[f"embeddings.LayerNorm.{k}"]
        for i in range(2):
            o = f"encoder.layer.{i}."
            for a, b in (("attention.output.dense", "attention.output"), ("attention.output.LayerNorm", "attention.norm"),
                         ("intermediate.dense", "mlp.up"), ("output.dense", "mlp.down"), ("output.LayerNorm", "mlp.norm")):
                out[f"layers.{i}.{b}.{k}"] = state[f"{o}{a}.{k}"]
            ps = [state[f"{o}attention.self.{p}.{k}"].chunk(num_attention_heads) for p in ("query", "key", "value")]
            out[f"layers.{i}.attention.query_key_value.{k}"] = torch.cat([r for rows in zip(*ps) for r in rows])
    return out

# %% up_and_down_exchanged | points 0 | up and down exchanged
def regrouped_bert(state: dict[str, Tensor], num_attention_heads: int) -> dict[str, Tensor]:
    """The state of an encoder that packs query, key and value head by head."""
    embedding_names = {
        "word_embeddings": "word",
        "position_embeddings": "position",
        "token_type_embeddings": "segment",
        "LayerNorm": "norm",
    }
    layer_names = {
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
        "intermediate.dense": "mlp.down",
        "output.dense": "mlp.up",
        "output.LayerNorm": "mlp.norm",
    }
    clean = {}  # without prefix, without old names
    for name, tensor in state.items():
        module, _, kind = name.removeprefix("bert.").rpartition(".")
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        clean[f"{module}.{kind}"] = tensor

    result = {}
    for name, tensor in clean.items():
        first, *middle, kind = name.split(".")
        if first == "embeddings" and middle and middle[0] in embedding_names:
            result[f"embedding.{embedding_names[middle[0]]}.{kind}"] = tensor
        if first != "encoder":
            continue
        number, module = middle[1], ".".join(middle[2:])
        if module in layer_names:
            result[f"layers.{number}.{layer_names[module]}.{kind}"] = tensor
        if module == "attention.self.query":
            parts = [clean[name.replace("query", part)] for part in ("query", "key", "value")]
            by_head = [part.unflatten(0, (num_attention_heads, -1)) for part in parts]
            packed = torch.stack(by_head, dim=1).flatten(0, 2)
            result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return result

# %% value_before_key | points 0 | value before key
def regrouped_bert(state: dict[str, Tensor], num_attention_heads: int) -> dict[str, Tensor]:
    """The state of an encoder that packs query, key and value head by head."""
    embedding_names = {
        "word_embeddings": "word",
        "position_embeddings": "position",
        "token_type_embeddings": "segment",
        "LayerNorm": "norm",
    }
    layer_names = {
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
        "intermediate.dense": "mlp.up",
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
    }
    clean = {}  # without prefix, without old names
    for name, tensor in state.items():
        module, _, kind = name.removeprefix("bert.").rpartition(".")
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        clean[f"{module}.{kind}"] = tensor

    result = {}
    for name, tensor in clean.items():
        first, *middle, kind = name.split(".")
        if first == "embeddings" and middle and middle[0] in embedding_names:
            result[f"embedding.{embedding_names[middle[0]]}.{kind}"] = tensor
        if first != "encoder":
            continue
        number, module = middle[1], ".".join(middle[2:])
        if module in layer_names:
            result[f"layers.{number}.{layer_names[module]}.{kind}"] = tensor
        if module == "attention.self.query":
            parts = [clean[name.replace("query", part)] for part in ("query", "value", "key")]
            by_head = [part.unflatten(0, (num_attention_heads, -1)) for part in parts]
            packed = torch.stack(by_head, dim=1).flatten(0, 2)
            result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return result

# %% view_instead_of_grouping | points 0 | view instead of grouping
def regrouped_bert(state, num_attention_heads):
    out = {}
    emb = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    lay = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
           "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    for name, t in state.items():
        name2 = name.removeprefix("bert.").replace("gamma", "weight").replace("beta", "bias")
        p = name2.split(".")
        if p[0] == "embeddings" and p[1] in emb: out[f"embedding.{emb[p[1]]}.{p[2]}"] = t
        if p[0] == "encoder":
            i, k, mid = p[2], p[-1], ".".join(p[3:-1])
            if mid in lay: out[f"layers.{i}.{lay[mid]}.{k}"] = t
            elif mid.endswith("query"):
                parts = torch.cat([state[name.replace("query", q)] for q in ("query", "key", "value")])
                out[f"layers.{i}.attention.query_key_value.{k}"] = parts.reshape(num_attention_heads, 3, -1, *parts.shape[1:]).flatten(0, 2)
    return out
