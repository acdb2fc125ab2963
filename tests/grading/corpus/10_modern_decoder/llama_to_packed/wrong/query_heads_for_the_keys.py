# The rows of the keys are reordered with the number of query heads.
# points: 0
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
