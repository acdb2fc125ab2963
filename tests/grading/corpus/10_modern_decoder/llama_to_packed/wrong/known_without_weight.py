# a name counts as known without its .weight
# points: 3
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
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
    packed = ("attention.wq", "attention.wk", "attention.wv")
    joined = "attention.query_key_value"
    numbers = [int(name.split(".")[1]) for name in state if name.startswith("layers.")]
    layers = range(max(numbers, default=0) + 1)
    expected = {f"{name}.weight" for name in outside}
    expected |= {f"layers.{n}.{name}.weight" for n in layers for name in (*packed, *inside)}
    missing = expected - {"output.weight"} - set(state)
    unknown = {n for n in state if n.removesuffix('.weight') + '.weight' not in expected} - {'rope.freqs'}
    wrong = sorted(missing | unknown)
    if wrong:
        raise ValueError(f"missing or unknown: {wrong}")

    def halves(rows, heads):
        return rows.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)

    new = {}
    for theirs, ours in outside.items():
        if f"{theirs}.weight" in state:
            new[f"{ours}.weight"] = state[f"{theirs}.weight"]
    for n in layers:
        query, key, value = (state[f"layers.{n}.{name}.weight"] for name in packed)
        query = halves(query, num_attention_heads)
        key = halves(key, num_key_value_heads)
        rows = torch.cat([query, key, value])
        new[f"decoder.stack.layers.{n}.{joined}.weight"] = rows
        for theirs, ours in inside.items():
            new[f"decoder.stack.layers.{n}.{ours}.weight"] = state[f"layers.{n}.{theirs}.weight"]
    return new
