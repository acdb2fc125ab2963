# %% chunk_and_cat | points 4 | chunk and cat
def regrouped_bert(state, num_attention_heads):
    s = {}
    for name, t in state.items():
        name = name[5:] if name.startswith("bert.") else name
        for a, b in ((".gamma", ".weight"), (".beta", ".bias")):
            if name.endswith(a): name = name[:-len(a)] + b
        s[name] = t
    emb = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    out = {}
    for a, b in emb.items():
        for k in ("weight", "bias"):
            if f"embeddings.{a}.{k}" in s: out[f"embedding.{b}.{k}"] = s[f"embeddings.{a}.{k}"]
    n = 1 + max(int(x.split(".")[2]) for x in s if x.startswith("encoder."))
    for i in range(n):
        for k in ("weight", "bias"):
            for a, b in (("attention.output.dense", "attention.output"), ("attention.output.LayerNorm", "attention.norm"),
                         ("intermediate.dense", "mlp.up"), ("output.dense", "mlp.down"), ("output.LayerNorm", "mlp.norm")):
                out[f"layers.{i}.{b}.{k}"] = s[f"encoder.layer.{i}.{a}.{k}"].clone()
            ps = [s[f"encoder.layer.{i}.attention.self.{p}.{k}"].chunk(num_attention_heads) for p in ("query", "key", "value")]
            out[f"layers.{i}.attention.query_key_value.{k}"] = torch.cat([x for h in range(num_attention_heads) for x in (p[h] for p in ps)])
    return out

# %% copies_and_row_indices | points 4 | copies and row indices
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
            parts = [clean[name.replace("query", part)] for part in ("query", "key", "value")]
            by_head = [part.unflatten(0, (num_attention_heads, -1)) for part in parts]
            n = parts[0].size(0)
            index = torch.arange(3 * n).view(3, num_attention_heads, -1).transpose(0, 1).flatten()
            packed = torch.cat(parts)[index]
            result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return result

# %% regular_expressions | points 4 | regular expressions
import re
def regrouped_bert(state, num_attention_heads):
    state = {k.replace("bert.", "", 1) if k.startswith("bert.") else k: v for k, v in state.items()}
    state = {re.sub(r"gamma$", "weight", re.sub(r"beta$", "bias", k)): v for k, v in state.items()}
    new = {}
    for s in ("weight", "bias"):
        for a, b in (("word_embeddings", "word"), ("position_embeddings", "position"), ("token_type_embeddings", "segment"), ("LayerNorm", "norm")):
            if f"embeddings.{a}.{s}" in state:
                new[f"embedding.{b}.{s}"] = state[f"embeddings.{a}.{s}"]
        i = 0
        while f"encoder.layer.{i}.output.dense.{s}" in state:
            old, to = f"encoder.layer.{i}.", f"layers.{i}."
            q, k, v = (state[f"{old}attention.self.{p}.{s}"].chunk(num_attention_heads) for p in ("query", "key", "value"))
            new[f"{to}attention.query_key_value.{s}"] = torch.cat([t for trio in zip(q, k, v) for t in trio])
            for a, b in (("attention.output.dense", "attention.output"), ("attention.output.LayerNorm", "attention.norm"), ("intermediate.dense", "mlp.up"), ("output.dense", "mlp.down"), ("output.LayerNorm", "mlp.norm")):
                new[f"{to}{b}.{s}"] = state[f"{old}{a}.{s}"]
            i += 1
    return new
