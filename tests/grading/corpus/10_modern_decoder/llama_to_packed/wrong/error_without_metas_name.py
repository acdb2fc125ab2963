# The error for a missing name is a ValueError without Meta's name: it says the number of the layer and the part only.
# points: 3
def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    table = {
        "attention.wo.weight": "attention.output.weight",
        "attention_norm.weight": "attention_norm.weight",
        "feed_forward.w1.weight": "feed_forward.gate.weight",
        "feed_forward.w2.weight": "feed_forward.output.weight",
        "feed_forward.w3.weight": "feed_forward.intermediate.weight",
        "ffn_norm.weight": "feed_forward_norm.weight",
    }
    rest = dict(state)
    rest.pop("rope.freqs", None)

    def take(name):
        if name not in rest:
            raise ValueError("missing name: " + name.replace("layers.", "layer ").replace(".weight", ""))
        return rest.pop(name)

    def turn(weight, heads):
        size = weight.shape[0] // heads
        return weight.view(heads, size // 2, 2, -1).transpose(1, 2).reshape(weight.shape)

    numbers = [int(name.split(".")[1]) for name in state if name.startswith("layers.")]
    layers = max(numbers, default=0) + 1
    packed = {"decoder.embeddings.word_embeddings.weight": take("tok_embeddings.weight")}
    for n in range(layers):
        prefix = f"decoder.stack.layers.{n}."
        query = turn(take(f"layers.{n}.attention.wq.weight"), num_attention_heads)
        key = turn(take(f"layers.{n}.attention.wk.weight"), num_key_value_heads)
        value = take(f"layers.{n}.attention.wv.weight")
        packed[prefix + "attention.query_key_value.weight"] = torch.cat([query, key, value])
        for old, new in table.items():
            packed[prefix + new] = take(f"layers.{n}.{old}")
    packed["decoder.stack.final_norm.weight"] = take("norm.weight")
    if "output.weight" in rest:
        packed["head.weight"] = take("output.weight")
    if rest:
        raise ValueError(f"unknown name: {next(iter(rest))}")
    return packed
