# Counts the layers by their wq, so if that of the last one is missing the error names other tensors of it.
# points: 3
def llama_to_packed(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int
) -> dict[str, Tensor]:
    names = {
        "attention.wo.weight": "attention.output.weight",
        "attention_norm.weight": "attention_norm.weight",
        "feed_forward.w1.weight": "feed_forward.gate.weight",
        "feed_forward.w2.weight": "feed_forward.output.weight",
        "feed_forward.w3.weight": "feed_forward.intermediate.weight",
        "ffn_norm.weight": "feed_forward_norm.weight",
    }

    def reorder(weight, heads):
        rows, hidden = weight.shape
        weight = weight.reshape(heads, rows // heads // 2, 2, hidden)
        return weight.transpose(1, 2).reshape(rows, hidden)

    rest = {name: tensor for name, tensor in state.items() if name != "rope.freqs"}

    def take(name):
        if name not in rest:
            raise ValueError(f"missing: {name}")
        return rest.pop(name)

    layers = 1
    for name in state:
        if name.endswith("attention.wq.weight"):
            number = name.split(".")[1]
            if number.isdigit():
                layers = max(layers, int(number) + 1)
    new = {"decoder.embeddings.word_embeddings.weight": take("tok_embeddings.weight")}
    for n in range(layers):
        old, mine = f"layers.{n}.", f"decoder.stack.layers.{n}."
        q = reorder(take(old + "attention.wq.weight"), num_attention_heads)
        k = reorder(take(old + "attention.wk.weight"), num_key_value_heads)
        v = take(old + "attention.wv.weight")
        new[mine + "attention.query_key_value.weight"] = torch.cat([q, k, v], dim=0)
        for theirs, ours in names.items():
            new[mine + ours] = take(old + theirs)
    new["decoder.stack.final_norm.weight"] = take("norm.weight")
    if "output.weight" in rest:
        new["head.weight"] = take("output.weight")
    if rest:
        raise ValueError(f"unknown: {list(rest)}")
    return new
