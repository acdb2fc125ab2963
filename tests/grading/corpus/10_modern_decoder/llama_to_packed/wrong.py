# %% a_tied_head_is_copied | points 3 | without output.weight the embeddings are copied into the head
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    table = {"attention.wo": "attention.output", "attention_norm": "attention_norm",
             "feed_forward.w1": "feed_forward.gate", "feed_forward.w2": "feed_forward.output",
             "feed_forward.w3": "feed_forward.intermediate", "ffn_norm": "feed_forward_norm"}
    ids = {int(k.split(".")[1]) for k in state if k.startswith("layers.")}
    count = max(ids) + 1
    needed = {"tok_embeddings.weight", "norm.weight"}
    for i in range(count):
        needed.update(f"layers.{i}.{k}.weight" for k in list(table) + ["attention.wq", "attention.wk", "attention.wv"])
    for k in needed - state.keys():
        raise ValueError(f"{k} is missing")
    for k in state.keys() - needed - {"output.weight", "rope.freqs"}:
        raise ValueError(f"{k} is unknown")
    new = {"decoder.embeddings.word_embeddings.weight": state["tok_embeddings.weight"]}
    new["decoder.stack.final_norm.weight"] = state["norm.weight"]
    new["head.weight"] = state.get("output.weight", state["tok_embeddings.weight"]).clone()
    for i in range(count):
        q, k, v = (state[f"layers.{i}.attention.w{x}.weight"] for x in "qkv")
        q = q.reshape(num_attention_heads, -1, 2, q.shape[1]).permute(0, 2, 1, 3).reshape(q.shape)
        k = k.reshape(num_key_value_heads, -1, 2, k.shape[1]).permute(0, 2, 1, 3).reshape(k.shape)
        new[f"decoder.stack.layers.{i}.attention.query_key_value.weight"] = torch.vstack([q, k, v])
        for a, b in table.items():
            new[f"decoder.stack.layers.{i}.{b}.weight"] = state[f"layers.{i}.{a}.weight"]
    return new

# %% all_query_heads_for_keys | points 0 | Permutes the rows of the keys with the number of query heads, which is wrong as soon as keys have fewer heads.
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    def permute(w, heads):
        size = w.size(0) // heads
        return torch.cat(
            [torch.cat([h[0::2], h[1::2]]) for h in w.split(size)]
        )

    names = {
        "attention.wo": "attention.output",
        "attention_norm": "attention_norm",
        "feed_forward.w1": "feed_forward.gate",
        "feed_forward.w2": "feed_forward.output",
        "feed_forward.w3": "feed_forward.intermediate",
        "ffn_norm": "feed_forward_norm",
    }
    layers = 1 + max([int(name.split(".")[1]) for name in state if name.startswith("layers.")], default=0)
    numbers = range(layers)
    expected = {"tok_embeddings.weight", "norm.weight"}
    for n in numbers:
        for part in ["attention.wq", "attention.wk", "attention.wv", *names]:
            expected.add(f"layers.{n}.{part}.weight")
    for name in state:
        if name not in expected | {"output.weight", "rope.freqs"}:
            raise ValueError(f"unknown: {name}")
    for name in expected:
        if name not in state:
            raise ValueError(f"missing: {name}")
    new = {
        "decoder.embeddings.word_embeddings.weight": state["tok_embeddings.weight"],
        "decoder.stack.final_norm.weight": state["norm.weight"],
    }
    if "output.weight" in state:
        new["head.weight"] = state["output.weight"]
    for n in numbers:
        q, k, v = (state[f"layers.{n}.attention.w{x}.weight"] for x in "qkv")
        packed = torch.cat([permute(q, num_attention_heads), permute(k, num_attention_heads), v])
        new[f"decoder.stack.layers.{n}.attention.query_key_value.weight"] = packed
        for theirs, ours in names.items():
            new[f"decoder.stack.layers.{n}.{ours}.weight"] = state[f"layers.{n}.{theirs}.weight"]
    return new

# %% counts_different_layer_numbers | points 3 | Counts the different layer numbers instead of taking the highest, so that a layer missing in between makes names of the last layer "unknown".
import re

PARTS = {
    "attention.wo": "attention.output",
    "attention_norm": "attention_norm",
    "feed_forward.w1": "feed_forward.gate",
    "feed_forward.w2": "feed_forward.output",
    "feed_forward.w3": "feed_forward.intermediate",
    "ffn_norm": "feed_forward_norm",
}


def halves(weight, heads):
    size = weight.shape[0] // heads
    return weight.reshape(heads, size // 2, 2, -1).transpose(1, 2).reshape(weight.shape)


def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    numbers = {int(m.group(1)) for m in (re.match(r"layers\.(\d+)", name) for name in state) if m}
    layers = max(len(numbers), 1)
    names = {
        "tok_embeddings.weight": "decoder.embeddings.word_embeddings.weight",
        "norm.weight": "decoder.stack.final_norm.weight",
    }
    for n in range(layers):
        for theirs, ours in PARTS.items():
            names[f"layers.{n}.{theirs}.weight"] = f"decoder.stack.layers.{n}.{ours}.weight"
        for letter in "qkv":
            names[f"layers.{n}.attention.w{letter}.weight"] = None
    for name in state:
        if name not in names and name not in ("output.weight", "rope.freqs"):
            raise ValueError(f"unknown: {name}")
    for name in names:
        if name not in state:
            raise ValueError(f"missing: {name}")
    result = {ours: state[theirs] for theirs, ours in names.items() if ours is not None}
    for n in range(layers):
        query, key, value = (state[f"layers.{n}.attention.w{letter}.weight"] for letter in "qkv")
        packed = [halves(query, num_attention_heads), halves(key, num_key_value_heads), value]
        result[f"decoder.stack.layers.{n}.attention.query_key_value.weight"] = torch.cat(packed)
    if "output.weight" in state:
        result["head.weight"] = state["output.weight"]
    return result

# %% error_without_metas_name | points 3 | The error for a missing name is a ValueError without Meta's name: it says the number of the layer and the part only.
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    table = {
        "attention.wo.weight": "attention.output.weight",
        "attention_norm.weight": "attention_norm.weight",
        "feed_forward.w1.weight": "feed_forward.gate.weight",
        "feed_forward.w2.weight": "feed_forward.output.weight",
        "feed_forward.w3.weight": "feed_forward.intermediate.weight",
        "ffn_norm.weight": "feed_forward_norm.weight",
    }
    rest = dict(state)
    rest.pop("rope.freqs", None)

    def take(name):
        if name not in rest:
            raise ValueError("missing name: " + name.replace("layers.", "layer ").replace(".weight", ""))
        return rest.pop(name)

    def turn(weight, heads):
        size = weight.shape[0] // heads
        return weight.view(heads, size // 2, 2, -1).transpose(1, 2).reshape(weight.shape)

    numbers = [int(name.split(".")[1]) for name in state if name.startswith("layers.")]
    layers = max(numbers, default=0) + 1
    packed = {"decoder.embeddings.word_embeddings.weight": take("tok_embeddings.weight")}
    for n in range(layers):
        prefix = f"decoder.stack.layers.{n}."
        query = turn(take(f"layers.{n}.attention.wq.weight"), num_attention_heads)
        key = turn(take(f"layers.{n}.attention.wk.weight"), num_key_value_heads)
        value = take(f"layers.{n}.attention.wv.weight")
        packed[prefix + "attention.query_key_value.weight"] = torch.cat([query, key, value])
        for old, new in table.items():
            packed[prefix + new] = take(f"layers.{n}.{old}")
    packed["decoder.stack.final_norm.weight"] = take("norm.weight")
    if "output.weight" in rest:
        packed["head.weight"] = take("output.weight")
    if rest:
        raise ValueError(f"unknown name: {next(iter(rest))}")
    return packed

# %% head_always_rope_anywhere | points 2 | Writes a head.weight for tied heads, too, and accepts every unknown name with "rope" in it.
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    renamed = {
        "attention.wo": "attention.output",
        "attention_norm": "attention_norm",
        "feed_forward.w1": "feed_forward.gate",
        "feed_forward.w2": "feed_forward.output",
        "feed_forward.w3": "feed_forward.intermediate",
        "ffn_norm": "feed_forward_norm",
    }
    top = {
        "tok_embeddings.weight": "decoder.embeddings.word_embeddings.weight",
        "norm.weight": "decoder.stack.final_norm.weight",
        "output.weight": "head.weight",
    }
    numbers = [name.split(".")[1] for name in state if name.startswith("layers.")]
    layers = max([int(n) for n in numbers], default=0) + 1
    names = list(top)
    for n in range(layers):
        for part in ["attention.wq", "attention.wk", "attention.wv", *renamed]:
            names.append(f"layers.{n}.{part}.weight")
    for name in names:
        if name not in state and name != "output.weight":
            raise ValueError(f"{name} is missing")
    for name in state:
        if name not in names and "rope" not in name:
            raise ValueError(f"{name} is unknown")

    def reorder(w, heads):
        size = w.shape[0] // heads
        return w.view(heads, size // 2, 2, -1).transpose(1, 2).reshape(heads * size, -1)

    result = {new: state[old] for old, new in top.items() if old in state}
    for n in range(layers):
        old, new = f"layers.{n}.", f"decoder.stack.layers.{n}."
        q = reorder(state[old + "attention.wq.weight"], num_attention_heads)
        k = reorder(state[old + "attention.wk.weight"], num_key_value_heads)
        v = state[old + "attention.wv.weight"]
        result[new + "attention.query_key_value.weight"] = torch.cat([q, k, v])
        for a, b in renamed.items():
            result[new + b + ".weight"] = state[old + a + ".weight"]
    result.setdefault("head.weight", state["tok_embeddings.weight"])
    return result

# %% head_size_from_hidden | points 0 | Copied from the conversion script: head_size is hidden // heads, which needn't be so.
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    renamed = {
        "attention.wo": "attention.output",
        "attention_norm": "attention_norm",
        "feed_forward.w1": "feed_forward.gate",
        "feed_forward.w2": "feed_forward.output",
        "feed_forward.w3": "feed_forward.intermediate",
        "ffn_norm": "feed_forward_norm",
    }
    top = {
        "tok_embeddings.weight": "decoder.embeddings.word_embeddings.weight",
        "norm.weight": "decoder.stack.final_norm.weight",
        "output.weight": "head.weight",
    }
    numbers = [name.split(".")[1] for name in state if name.startswith("layers.")]
    layers = max([int(n) for n in numbers], default=0) + 1
    names = list(top)
    for n in range(layers):
        for part in ["attention.wq", "attention.wk", "attention.wv", *renamed]:
            names.append(f"layers.{n}.{part}.weight")
    for name in names:
        if name not in state and name != "output.weight":
            raise ValueError(f"{name} is missing")
    for name in state:
        if name not in names and name != "rope.freqs":
            raise ValueError(f"{name} is unknown")

    def reorder(w, heads):
        dim = w.shape[1]
        size = dim // num_attention_heads
        return w.view(heads, size // 2, 2, dim).transpose(1, 2).reshape(heads * size, dim)

    result = {new: state[old] for old, new in top.items() if old in state}
    for n in range(layers):
        old, new = f"layers.{n}.", f"decoder.stack.layers.{n}."
        q = reorder(state[old + "attention.wq.weight"], num_attention_heads)
        k = reorder(state[old + "attention.wk.weight"], num_key_value_heads)
        v = state[old + "attention.wv.weight"]
        result[new + "attention.query_key_value.weight"] = torch.cat([q, k, v])
        for a, b in renamed.items():
            result[new + b + ".weight"] = state[old + a + ".weight"]
    return result

# %% key_error_for_missing_names | points 3 | missing names come as the KeyError of the dictionary, unknown ones are left out
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    def permute(w, n_heads):
        return w.view(n_heads, w.shape[0] // n_heads // 2, 2, w.shape[1]).transpose(1, 2).reshape(w.shape)

    result = {
        "decoder.embeddings.word_embeddings.weight": state["tok_embeddings.weight"],
        "decoder.stack.final_norm.weight": state["norm.weight"],
    }
    if "output.weight" in state:
        result["head.weight"] = state["output.weight"]
    i = 0
    while f"layers.{i}.attention.wq.weight" in state:
        old, new = f"layers.{i}.", f"decoder.stack.layers.{i}."
        result[new + "attention.query_key_value.weight"] = torch.cat([
            permute(state[old + "attention.wq.weight"], num_attention_heads),
            permute(state[old + "attention.wk.weight"], num_key_value_heads),
            state[old + "attention.wv.weight"],
        ])
        result[new + "attention.output.weight"] = state[old + "attention.wo.weight"]
        result[new + "attention_norm.weight"] = state[old + "attention_norm.weight"]
        result[new + "feed_forward.gate.weight"] = state[old + "feed_forward.w1.weight"]
        result[new + "feed_forward.output.weight"] = state[old + "feed_forward.w2.weight"]
        result[new + "feed_forward.intermediate.weight"] = state[old + "feed_forward.w3.weight"]
        result[new + "feed_forward_norm.weight"] = state[old + "ffn_norm.weight"]
        i += 1
    return result

# %% known_without_weight | points 3 | a name counts as known without its weight
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
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
    unknown = {n for n in state if n.removesuffix('.weight') + '.weight' not in expected} - {'rope.freqs'}
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

# %% last_layer_from_wq | points 3 | Counts the layers by their wq, so if that of the last one is missing the error names other tensors of it.
def llama_to_packed(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int
) -> dict[str, Tensor]:
    names = {
        "attention.wo.weight": "attention.output.weight",
        "attention_norm.weight": "attention_norm.weight",
        "feed_forward.w1.weight": "feed_forward.gate.weight",
        "feed_forward.w2.weight": "feed_forward.output.weight",
        "feed_forward.w3.weight": "feed_forward.intermediate.weight",
        "ffn_norm.weight": "feed_forward_norm.weight",
    }

    def reorder(weight, heads):
        rows, hidden = weight.shape
        weight = weight.reshape(heads, rows // heads // 2, 2, hidden)
        return weight.transpose(1, 2).reshape(rows, hidden)

    rest = {name: tensor for name, tensor in state.items() if name != "rope.freqs"}

    def take(name):
        if name not in rest:
            raise ValueError(f"missing: {name}")
        return rest.pop(name)

    layers = 1
    for name in state:
        if name.endswith("attention.wq.weight"):
            number = name.split(".")[1]
            if number.isdigit():
                layers = max(layers, int(number) + 1)
    new = {"decoder.embeddings.word_embeddings.weight": take("tok_embeddings.weight")}
    for n in range(layers):
        old, mine = f"layers.{n}.", f"decoder.stack.layers.{n}."
        q = reorder(take(old + "attention.wq.weight"), num_attention_heads)
        k = reorder(take(old + "attention.wk.weight"), num_key_value_heads)
        v = take(old + "attention.wv.weight")
        new[mine + "attention.query_key_value.weight"] = torch.cat([q, k, v], dim=0)
        for theirs, ours in names.items():
            new[mine + ours] = take(old + theirs)
    new["decoder.stack.final_norm.weight"] = take("norm.weight")
    if "output.weight" in rest:
        new["head.weight"] = take("output.weight")
    if rest:
        raise ValueError(f"unknown: {list(rest)}")
    return new

# %% layers_by_counting | points 3 | Counts names and divides by nine: if one name of a layer is missing, the error blames names of the last layer instead.
def llama_to_packed(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int
) -> dict[str, Tensor]:
    """The state of the book's LanguageModel, from that of Meta's Llama."""
    outer = {
        "tok_embeddings.weight": "decoder.embeddings.word_embeddings.weight",
        "norm.weight": "decoder.stack.final_norm.weight",
        "output.weight": "head.weight",
    }
    inner = {
        "attention.wo.weight": "attention.output.weight",
        "attention_norm.weight": "attention_norm.weight",
        "feed_forward.w1.weight": "feed_forward.gate.weight",
        "feed_forward.w2.weight": "feed_forward.output.weight",
        "feed_forward.w3.weight": "feed_forward.intermediate.weight",
        "ffn_norm.weight": "feed_forward_norm.weight",
    }
    qkv = ["attention.wq.weight", "attention.wk.weight", "attention.wv.weight"]
    layers = sum(name.startswith("layers.") for name in state) // (len(inner) + len(qkv))
    expected = set(outer)
    for n in range(layers):
        expected |= {f"layers.{n}.{name}" for name in [*inner, *qkv]}
    for name in expected - {"output.weight"}:
        if name not in state:
            raise ValueError(f"{name} is missing")
    for name in state:
        if name not in expected and name != "rope.freqs":
            raise ValueError(f"{name} is unknown")
    def reorder(weight, heads):
        hidden = weight.shape[1]
        return weight.reshape(heads, -1, 2, hidden).transpose(1, 2).reshape(-1, hidden)
    result = {outer[name]: state[name] for name in outer if name in state}
    for n in range(layers):
        q, k, v = (state[f"layers.{n}.{name}"] for name in qkv)
        packed = [reorder(q, num_attention_heads), reorder(k, num_key_value_heads), v]
        result[f"decoder.stack.layers.{n}.attention.query_key_value.weight"] = torch.cat(packed)
        for a, b in inner.items():
            result[f"decoder.stack.layers.{n}.{b}"] = state[f"layers.{n}.{a}"]
    return result

# %% layers_counted_by_wq | points 3 | Counts the layers by their wq, so if the last layer's wq is missing, the message names its other weights as unknown.
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    def permute(w, heads):
        return w.view(heads, -1, 2, w.size(1)).transpose(1, 2).reshape(w.shape)

    names = {
        "attention.wo": "attention.output",
        "attention_norm": "attention_norm",
        "feed_forward.w1": "feed_forward.gate",
        "feed_forward.w2": "feed_forward.output",
        "feed_forward.w3": "feed_forward.intermediate",
        "ffn_norm": "feed_forward_norm",
    }
    layers = sum(name.endswith(".attention.wq.weight") for name in state)
    numbers = range(layers)
    expected = {"tok_embeddings.weight", "norm.weight"}
    for n in numbers:
        for part in ["attention.wq", "attention.wk", "attention.wv", *names]:
            expected.add(f"layers.{n}.{part}.weight")
    for name in state:
        if name not in expected | {"output.weight", "rope.freqs"}:
            raise ValueError(f"unknown: {name}")
    for name in expected:
        if name not in state:
            raise ValueError(f"missing: {name}")
    new = {
        "decoder.embeddings.word_embeddings.weight": state["tok_embeddings.weight"],
        "decoder.stack.final_norm.weight": state["norm.weight"],
    }
    if "output.weight" in state:
        new["head.weight"] = state["output.weight"]
    for n in numbers:
        q, k, v = (state[f"layers.{n}.attention.w{x}.weight"] for x in "qkv")
        packed = torch.cat([permute(q, num_attention_heads), permute(k, num_key_value_heads), v])
        new[f"decoder.stack.layers.{n}.attention.query_key_value.weight"] = packed
        for theirs, ours in names.items():
            new[f"decoder.stack.layers.{n}.{ours}.weight"] = state[f"layers.{n}.{theirs}.weight"]
    return new

# %% missing_by_substring | points 3 | Looks for missing names in one long string, in which norm.weight is a part of other names.
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    renamed = {
        "attention.wo": "attention.output",
        "attention_norm": "attention_norm",
        "feed_forward.w1": "feed_forward.gate",
        "feed_forward.w2": "feed_forward.output",
        "feed_forward.w3": "feed_forward.intermediate",
        "ffn_norm": "feed_forward_norm",
    }
    top = {
        "tok_embeddings.weight": "decoder.embeddings.word_embeddings.weight",
        "norm.weight": "decoder.stack.final_norm.weight",
        "output.weight": "head.weight",
    }
    numbers = [name.split(".")[1] for name in state if name.startswith("layers.")]
    layers = max([int(n) for n in numbers], default=0) + 1
    names = list(top)
    for n in range(layers):
        for part in ["attention.wq", "attention.wk", "attention.wv", *renamed]:
            names.append(f"layers.{n}.{part}.weight")
    for name in names:
        if name not in " ".join(state) and name != "output.weight":
            raise ValueError(f"{name} is missing")
    for name in state:
        if name not in names and name != "rope.freqs":
            raise ValueError(f"{name} is unknown")

    def reorder(w, heads):
        size = w.shape[0] // heads
        return w.view(heads, size // 2, 2, -1).transpose(1, 2).reshape(heads * size, -1)

    result = {new: state[old] for old, new in top.items() if old in state}
    for n in range(layers):
        old, new = f"layers.{n}.", f"decoder.stack.layers.{n}."
        q = reorder(state[old + "attention.wq.weight"], num_attention_heads)
        k = reorder(state[old + "attention.wk.weight"], num_key_value_heads)
        v = state[old + "attention.wv.weight"]
        result[new + "attention.query_key_value.weight"] = torch.cat([q, k, v])
        for a, b in renamed.items():
            result[new + b + ".weight"] = state[old + a + ".weight"]
    return result

# %% numpy_and_silent | points 2 | Two mistakes: reorders with NumPy, which has no bfloat16, and neither missing nor unknown names raise a ValueError.
def llama_to_packed(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int
) -> dict[str, Tensor]:
    """The state of the book's LanguageModel, from that of Meta's Llama."""
    outer = {
        "tok_embeddings.weight": "decoder.embeddings.word_embeddings.weight",
        "norm.weight": "decoder.stack.final_norm.weight",
        "output.weight": "head.weight",
    }
    inner = {
        "attention.wo.weight": "attention.output.weight",
        "attention_norm.weight": "attention_norm.weight",
        "feed_forward.w1.weight": "feed_forward.gate.weight",
        "feed_forward.w2.weight": "feed_forward.output.weight",
        "feed_forward.w3.weight": "feed_forward.intermediate.weight",
        "ffn_norm.weight": "feed_forward_norm.weight",
    }
    qkv = ["attention.wq.weight", "attention.wk.weight", "attention.wv.weight"]
    import re

    def rows(name, heads):
        weight = state[name].numpy()
        weight = weight.reshape(heads, -1, 2, weight.shape[-1]).swapaxes(1, 2)
        return torch.from_numpy(weight.reshape(-1, weight.shape[-1]).copy())

    result = {}
    for name in state:
        if name in outer:
            result[outer[name]] = state[name]
        match = re.fullmatch(r"layers\.(\d+)\.(.*)", name)
        if match is None:
            continue
        n, rest = match.groups()
        prefix = f"decoder.stack.layers.{n}."
        if rest in inner:
            result[prefix + inner[rest]] = state[name]
        elif rest == "attention.wq.weight":
            q = rows(name, num_attention_heads)
            k = rows(f"layers.{n}.attention.wk.weight", num_key_value_heads)
            v = state[f"layers.{n}.attention.wv.weight"]
            result[prefix + "attention.query_key_value.weight"] = torch.cat([q, k, v])
    return result

# %% one_digit | points 3 | Reads one digit as the number of a layer, so more than ten layers go wrong.
def llama_to_packed(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int
) -> dict[str, Tensor]:
    layers = max([int(name[len("layers.")]) for name in state if name.startswith("layers.")] + [0]) + 1
    outside = {
        "tok_embeddings.weight": "decoder.embeddings.word_embeddings.weight",
        "norm.weight": "decoder.stack.final_norm.weight",
        "output.weight": "head.weight",
    }
    inside = {
        "attention.wo.weight": "attention.output.weight",
        "attention_norm.weight": "attention_norm.weight",
        "feed_forward.w1.weight": "feed_forward.gate.weight",
        "feed_forward.w2.weight": "feed_forward.output.weight",
        "feed_forward.w3.weight": "feed_forward.intermediate.weight",
        "ffn_norm.weight": "feed_forward_norm.weight",
    }
    known = set(outside)
    for n in range(layers):
        known |= {f"layers.{n}.{name}" for name in inside}
        known |= {f"layers.{n}.attention.{w}.weight" for w in ("wq", "wk", "wv")}
    for name in known - {"output.weight"}:
        if name not in state:
            raise ValueError("missing " + name)
    for name in state:
        if name not in known and name != "rope.freqs":
            raise ValueError("unknown " + name)

    def halves(w, heads):
        return w.reshape(heads, -1, 2, w.size(1)).transpose(1, 2).reshape(w.shape)

    result = {ours: state[theirs] for theirs, ours in outside.items() if theirs in state}
    for n in range(layers):
        w = {x: state[f"layers.{n}.attention.w{x}.weight"] for x in "qkv"}
        result[f"decoder.stack.layers.{n}.attention.query_key_value.weight"] = torch.cat(
            [halves(w["q"], num_attention_heads), halves(w["k"], num_key_value_heads), w["v"]]
        )
        for theirs, ours in inside.items():
            result[f"decoder.stack.layers.{n}.{ours}"] = state[f"layers.{n}.{theirs}"]
    return result

# %% query_heads_for_the_keys | points 0 | The rows of the keys are reordered with the number of query heads.
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    names = {
        "attention.wo.weight": "attention.output.weight",
        "attention_norm.weight": "attention_norm.weight",
        "feed_forward.w1.weight": "feed_forward.gate.weight",
        "feed_forward.w2.weight": "feed_forward.output.weight",
        "feed_forward.w3.weight": "feed_forward.intermediate.weight",
        "ffn_norm.weight": "feed_forward_norm.weight",
    }
    packed = ["attention.wq.weight", "attention.wk.weight", "attention.wv.weight"]
    num_layers = max([int(name.split(".")[1]) for name in state if name.startswith("layers.")] + [0]) + 1
    needed = ["tok_embeddings.weight", "norm.weight"]
    for n in range(num_layers):
        needed += [f"layers.{n}.{part}" for part in packed + list(names)]
    for name in needed:
        if name not in state:
            raise ValueError(f"missing: {name}")
    for name in state:
        if name not in needed and name not in ("output.weight", "rope.freqs"):
            raise ValueError(f"unknown: {name}")

    def reorder(weight, heads):
        size = weight.shape[0] // heads
        w = weight.reshape(heads, size // 2, 2, -1)
        return w.transpose(1, 2).reshape(weight.shape)

    new = {
        "decoder.embeddings.word_embeddings.weight": state["tok_embeddings.weight"],
        "decoder.stack.final_norm.weight": state["norm.weight"],
    }
    if "output.weight" in state:
        new["head.weight"] = state["output.weight"]
    for n in range(num_layers):
        old, book = f"layers.{n}.", f"decoder.stack.layers.{n}."
        q = reorder(state[old + packed[0]], num_attention_heads)
        k = reorder(state[old + packed[1]], num_attention_heads)
        v = state[old + packed[2]]
        new[book + "attention.query_key_value.weight"] = torch.cat([q, k, v], dim=0)
        for theirs, ours in names.items():
            new[book + ours] = state[old + theirs]
    return new

# %% rows_not_reordered | points 0 | the rows of queries and keys are left in Meta's order
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    names = {
        "attention.wo": "attention.output", "attention_norm": "attention_norm",
        "feed_forward.w1": "feed_forward.gate", "feed_forward.w2": "feed_forward.output",
        "feed_forward.w3": "feed_forward.intermediate", "ffn_norm": "feed_forward_norm",
    }
    layers = max([int(k.split(".")[1]) for k in state if k.startswith("layers.")] + [0]) + 1
    known = {"tok_embeddings.weight", "norm.weight"}
    for i in range(layers):
        known |= {f"layers.{i}.{k}.weight" for k in names}
        known |= {f"layers.{i}.attention.w{k}.weight" for k in "qkv"}
    bad = (known - set(state)) | (set(state) - known - {"output.weight", "rope.freqs"})
    if bad:
        raise ValueError(str(bad))
    new = {"decoder.embeddings.word_embeddings.weight": state["tok_embeddings.weight"],
           "decoder.stack.final_norm.weight": state["norm.weight"]}
    if "output.weight" in state:
        new["head.weight"] = state["output.weight"]
    for i in range(layers):
        qkv = [state[f"layers.{i}.attention.w{k}.weight"] for k in "qkv"]
        new[f"decoder.stack.layers.{i}.attention.query_key_value.weight"] = torch.cat(qkv)
        for a, b in names.items():
            new[f"decoder.stack.layers.{i}.{b}.weight"] = state[f"layers.{i}.{a}.weight"]
    return new

# %% tied_copy_and_pop | points 3 | Gives a tied model a head with the embeddings, and takes rope.freqs out of the caller's state.
def llama_to_packed(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int
) -> dict[str, Tensor]:
    """The state of the book's LanguageModel, from that of Meta's Llama."""
    outer = {
        "tok_embeddings.weight": "decoder.embeddings.word_embeddings.weight",
        "norm.weight": "decoder.stack.final_norm.weight",
        "output.weight": "head.weight",
    }
    inner = {
        "attention.wo.weight": "attention.output.weight",
        "attention_norm.weight": "attention_norm.weight",
        "feed_forward.w1.weight": "feed_forward.gate.weight",
        "feed_forward.w2.weight": "feed_forward.output.weight",
        "feed_forward.w3.weight": "feed_forward.intermediate.weight",
        "ffn_norm.weight": "feed_forward_norm.weight",
    }
    qkv = ["attention.wq.weight", "attention.wk.weight", "attention.wv.weight"]

    def reorder(rows, heads):
        size = rows.size(0) // heads
        return rows.view(heads, size // 2, 2, -1).transpose(1, 2).reshape(heads * size, -1)

    state.pop("rope.freqs", None)
    numbers = [int(name.split(".")[1]) for name in state if name.startswith("layers.")]
    layers = max(numbers, default=0) + 1
    expected = set(outer)
    for n in range(layers):
        expected |= {f"layers.{n}.{name}" for name in [*qkv, *inner]}
    for name in expected - set(state) - {"output.weight"}:
        raise ValueError("missing: " + name)
    for name in set(state) - expected - {"rope.freqs"}:
        raise ValueError("unknown: " + name)
    new = {book: state[meta] for meta, book in outer.items() if meta in state}
    new.setdefault("head.weight", state["tok_embeddings.weight"])
    for n in range(layers):
        q, k, v = [state[f"layers.{n}.{name}"] for name in qkv]
        q = reorder(q, num_attention_heads)
        k = reorder(k, num_key_value_heads)
        packed = torch.cat([q, k, v], dim=0)
        new[f"decoder.stack.layers.{n}.attention.query_key_value.weight"] = packed
        for meta, book in inner.items():
            new[f"decoder.stack.layers.{n}.{book}"] = state[f"layers.{n}.{meta}"]
    return new

# %% two_rope_names | points 2 | rope.freqs counts as unknown, and the error does not say which names are wrong.
def llama_to_packed(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int
) -> dict[str, Tensor]:
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

    def halves(rows, heads):
        return rows.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)

    parts = [name.split(".") for name in state if name.startswith("layers.")]
    layers = 1 + max((int(part[1]) for part in parts), default=0)
    attention = ["attention.wq", "attention.wk", "attention.wv"]
    expected = {f"{name}.weight" for name in outside} | {
        f"layers.{n}.{name}.weight" for n in range(layers) for name in [*attention, *inside]
    }
    wrong = (expected - {"output.weight"} - set(state)) | (set(state) - expected)
    if wrong:
        raise ValueError(f"{len(wrong)} names are missing or unknown.")
    new = {
        f"{b}.weight": state[f"{a}.weight"] for a, b in outside.items() if f"{a}.weight" in state
    }
    for n in range(layers):
        query, key, value = (state[f"layers.{n}.{name}.weight"] for name in attention)
        rows = [halves(query, num_attention_heads), halves(key, num_key_value_heads), value]
        new[f"decoder.stack.layers.{n}.attention.query_key_value.weight"] = torch.cat(rows)
        for theirs, ours in inside.items():
            new[f"decoder.stack.layers.{n}.{ours}.weight"] = state[f"layers.{n}.{theirs}.weight"]
    return new

# %% w3_taken_for_the_output | points 0 | w1, w2, w3 taken as gate, intermediate, output; and the values reordered with the keys
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    def permute(w, n_heads):
        return w.unflatten(0, (n_heads, -1, 2)).transpose(1, 2).flatten(0, 2)

    state = {k: v for k, v in state.items() if k != "rope.freqs"}
    out = {}
    used = set()

    def take(k):
        if k not in state:
            raise ValueError(k)
        used.add(k)
        return state[k]

    out["decoder.embeddings.word_embeddings.weight"] = take("tok_embeddings.weight")
    out["decoder.stack.final_norm.weight"] = take("norm.weight")
    if "output.weight" in state:
        out["head.weight"] = take("output.weight")
    n = max([0] + [int(k.split(".")[1]) for k in state if k.startswith("layers.")]) + 1
    for i in range(n):
        a, b = f"layers.{i}.", f"decoder.stack.layers.{i}."
        out[b + "attention.query_key_value.weight"] = torch.cat([
            permute(take(a + "attention.wq.weight"), num_attention_heads),
            permute(take(a + "attention.wk.weight"), num_key_value_heads),
            permute(take(a + "attention.wv.weight"), num_key_value_heads),
        ])
        out[b + "attention.output.weight"] = take(a + "attention.wo.weight")
        out[b + "attention_norm.weight"] = take(a + "attention_norm.weight")
        out[b + "feed_forward.gate.weight"] = take(a + "feed_forward.w1.weight")
        out[b + "feed_forward.intermediate.weight"] = take(a + "feed_forward.w2.weight")
        out[b + "feed_forward.output.weight"] = take(a + "feed_forward.w3.weight")
        out[b + "feed_forward_norm.weight"] = take(a + "ffn_norm.weight")
    for k in state:
        if k not in used:
            raise ValueError(k)
    return out
