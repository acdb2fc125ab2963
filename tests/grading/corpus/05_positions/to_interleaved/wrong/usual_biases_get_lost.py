# Wrong: the result holds the weights only, biases are dropped.
# points: 3
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    half = rotary_size // 2
    heads = {"query": num_attention_heads, "key": num_key_value_heads}
    head_size = state["query.weight"].shape[0] // num_attention_heads

    def rows(count):
        order = []
        for head in range(count):
            start = head * head_size
            for i in range(half):
                order += [start + i, start + half + i]
            order += range(start + rotary_size, start + head_size)
        return torch.tensor(order)

    new = {name: state[name] for name in state if name.endswith(".weight")}
    for kind in ("query", "key"):
        order = rows(heads[kind])
        new[kind + ".weight"] = state[kind + ".weight"][order]
    return new
