# rope.freqs counts as unknown, and the error does not say which names are wrong.
# points: 2
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
