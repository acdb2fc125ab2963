# Copied from the conversion script: head_size = hidden // heads, which needn't be so.
# points: 0
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
