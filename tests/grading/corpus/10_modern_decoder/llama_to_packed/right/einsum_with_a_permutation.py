# rows are reordered by an index made once; unknown names found by what is left over
# points: 4

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
