# The bias of the keys is cut into as many heads as the queries have, which is wrong where they share key heads.
# points: 3
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    head_size = state["query.weight"].shape[0] // num_attention_heads
    half = rotary_size // 2
    order = list(range(head_size))
    order[0:rotary_size:2] = range(half)
    order[1:rotary_size:2] = range(half, rotary_size)
    new = {name: tensor.clone() for name, tensor in state.items()}
    for kind, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        weight = state[kind + ".weight"]
        new[kind + ".weight"] = weight.view(heads, head_size, -1)[:, order].reshape(weight.shape)
    for kind in ("query", "key"):
        name = kind + ".bias"
        if name in state:
            bias = state[name].view(num_attention_heads, -1)
            new[name] = bias[:, order].reshape(-1)
    return new
