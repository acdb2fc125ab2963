# An axis of one is squeezed away to treat biases like weights, so weights with hidden_size 1 lose their second axis.
# points: 0
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    head_size = state["query.weight"].shape[0] // num_attention_heads
    order = torch.arange(head_size)
    order[:rotary_size] = torch.arange(rotary_size).view(2, -1).T.flatten()
    heads = {"query": num_attention_heads, "key": num_key_value_heads}
    result = {}
    for name, tensor in state.items():
        layer = name.split(".")[0]
        if layer in heads:
            rows = tensor.reshape(heads[layer], head_size, -1)[:, order]
            tensor = rows.flatten(0, 1).squeeze(-1)
        result[name] = tensor.clone()
    return result
