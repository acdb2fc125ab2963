# %% a_table_of_formats | points 4 | one table with n in braces, chunk of even and odd rows, errors by comparing sets
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    LAYER = {
        "attention.wo": "attention.output",
        "attention_norm": "attention_norm",
        "feed_forward.w1": "feed_forward.gate",
        "feed_forward.w2": "feed_forward.output",
        "feed_forward.w3": "feed_forward.intermediate",
        "ffn_norm": "feed_forward_norm",
    }

    def fix(w, n):
        rows, cols = w.shape
        return w.view(n, rows // n // 2, 2, cols).transpose(1, 2).reshape(rows, cols)

    n_layers = 1
    for name in state:
        if name.startswith("layers."):
            n_layers = max(n_layers, int(name.split(".")[1]) + 1)
    required = ["tok_embeddings.weight", "norm.weight"]
    for i in range(n_layers):
        required += [f"layers.{i}.attention.{w}.weight" for w in ("wq", "wk", "wv")]
        required += [f"layers.{i}.{k}.weight" for k in LAYER]
    for name in required:
        if name not in state:
            raise ValueError(f"missing: {name}")
    for name in state:
        if name not in required and name not in ("output.weight", "rope.freqs"):
            raise ValueError("unexpected name " + name)
    out = {
        "decoder.embeddings.word_embeddings.weight": state["tok_embeddings.weight"],
        "decoder.stack.final_norm.weight": state["norm.weight"],
    }
    if "output.weight" in state:
        out["head.weight"] = state["output.weight"]
    for i in range(n_layers):
        p = f"layers.{i}."
        q = fix(state[p + "attention.wq.weight"], num_attention_heads)
        k = fix(state[p + "attention.wk.weight"], num_key_value_heads)
        v = state[p + "attention.wv.weight"]
        out[f"decoder.stack.{p}attention.query_key_value.weight"] = torch.cat((q, k, v), 0)
        for a, b in LAYER.items():
            out[f"decoder.stack.{p}{b}.weight"] = state[f"{p}{a}.weight"]
    return out

# %% einsum_with_a_permutation | points 4 | rows are reordered by an index made once; unknown names found by what is left over
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    rest = dict(state)
    rest.pop("rope.freqs", None)

    def get(name):
        try:
            return rest.pop(name)
        except KeyError:
            raise ValueError(f"There is no {name}") from None

    new = {"decoder.embeddings.word_embeddings.weight": get("tok_embeddings.weight")}
    new["decoder.stack.final_norm.weight"] = get("norm.weight")
    if "output.weight" in rest:
        new["head.weight"] = get("output.weight")
    layer = 0
    while layer == 0 or any(n.startswith("layers.") and int(n.split(".")[1]) >= layer for n in rest):
        src, dst = f"layers.{layer}.", f"decoder.stack.layers.{layer}."
        parts = []
        for w, heads in zip("qkv", (num_attention_heads, num_key_value_heads, None)):
            t = get(f"{src}attention.w{w}.weight")
            if heads:
                idx = torch.arange(t.size(0)).view(heads, -1, 2).mT.reshape(-1)
                t = t[idx]
            parts.append(t)
        new[dst + "attention.query_key_value.weight"] = torch.cat(parts)
        new[dst + "attention.output.weight"] = get(src + "attention.wo.weight")
        new[dst + "attention_norm.weight"] = get(src + "attention_norm.weight")
        for a, b in zip(("w1", "w2", "w3"), ("gate", "output", "intermediate")):
            new[f"{dst}feed_forward.{b}.weight"] = get(f"{src}feed_forward.{a}.weight")
        new[dst + "feed_forward_norm.weight"] = get(src + "ffn_norm.weight")
        layer += 1
    if rest:
        raise ValueError(f"Unknown: {', '.join(rest)}")
    return new
