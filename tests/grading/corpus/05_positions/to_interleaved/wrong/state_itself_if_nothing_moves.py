# With rotary_size 2 nothing moves, and the dictionary that was given comes back, not a new one.
# points: 3
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    if rotary_size == 2:
        return state
    head_size = state["query.weight"].shape[0] // num_attention_heads
    order = torch.arange(head_size)
    order[:rotary_size] = torch.arange(rotary_size).view(2, -1).T.flatten()
    heads = {"query": num_attention_heads, "key": num_key_value_heads}
    result = {}
    for name, tensor in state.items():
        layer = name.split(".")[0]
        if layer in heads:
            rows = tensor.reshape(heads[layer], head_size, -1)[:, order]
            tensor = rows.reshape(tensor.shape)
        result[name] = tensor.clone()
    return result
