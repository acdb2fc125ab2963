# Where only a part of each head turns, the rows of the keys are cut into as many heads as there are queries.
# points: 3

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = {name: tensor.clone() for name, tensor in state.items()}
    size = len(state["query.weight"]) // num_attention_heads
    order = list(range(size))
    order[:rotary_size] = [i // 2 + i % 2 * (rotary_size // 2) for i in range(rotary_size)]
    for name in state:
        if not name.startswith(("query", "key")):
            continue
        heads = num_attention_heads if name.startswith("query") else num_key_value_heads
        if rotary_size < size and name == "key.weight":
            rows = new[name].unflatten(0, (num_attention_heads, -1))
            own = [i for i in order if i < rows.size(1)]
            new[name] = rows[:, own].flatten(0, 1)
            continue
        new[name] = new[name].unflatten(0, (heads, -1))[:, order].flatten(0, 1)
    return new
