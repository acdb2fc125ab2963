# Two mistakes: reorders with NumPy, which has no bfloat16, and neither missing nor unknown names raise a ValueError.
# points: 2
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
