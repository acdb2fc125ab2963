# Gives a tied model a head with the embeddings, and takes rope.freqs out of the caller's state.
# points: 3
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
