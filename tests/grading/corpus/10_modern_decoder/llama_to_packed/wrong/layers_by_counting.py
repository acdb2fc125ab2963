# Counts names and divides by nine: if one name of a layer is missing, the error blames names of the last layer instead.
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
