# Permutes the rows of the keys with the number of query heads, which is wrong as soon as keys have fewer heads.
# points: 0
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    def permute(w, heads):
        size = w.size(0) // heads
        return torch.cat(
            [torch.cat([h[0::2], h[1::2]]) for h in w.split(size)]
        )

    names = {
        "attention.wo": "attention.output",
        "attention_norm": "attention_norm",
        "feed_forward.w1": "feed_forward.gate",
        "feed_forward.w2": "feed_forward.output",
        "feed_forward.w3": "feed_forward.intermediate",
        "ffn_norm": "feed_forward_norm",
    }
    layers = 1 + max([int(name.split(".")[1]) for name in state if name.startswith("layers.")], default=0)
    numbers = range(layers)
    expected = {"tok_embeddings.weight", "norm.weight"}
    for n in numbers:
        for part in ["attention.wq", "attention.wk", "attention.wv", *names]:
            expected.add(f"layers.{n}.{part}.weight")
    for name in state:
        if name not in expected | {"output.weight", "rope.freqs"}:
            raise ValueError(f"unknown: {name}")
    for name in expected:
        if name not in state:
            raise ValueError(f"missing: {name}")
    new = {
        "decoder.embeddings.word_embeddings.weight": state["tok_embeddings.weight"],
        "decoder.stack.final_norm.weight": state["norm.weight"],
    }
    if "output.weight" in state:
        new["head.weight"] = state["output.weight"]
    for n in numbers:
        q, k, v = (state[f"layers.{n}.attention.w{x}.weight"] for x in "qkv")
        packed = torch.cat([permute(q, num_attention_heads), permute(k, num_attention_heads), v])
        new[f"decoder.stack.layers.{n}.attention.query_key_value.weight"] = packed
        for theirs, ours in names.items():
            new[f"decoder.stack.layers.{n}.{ours}.weight"] = state[f"layers.{n}.{theirs}.weight"]
    return new
