# Reads one digit as the number of a layer, so more than ten layers go wrong.
# points: 3
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
