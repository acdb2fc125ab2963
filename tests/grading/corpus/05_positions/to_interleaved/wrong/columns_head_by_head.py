# Reorders columns head by head, as far as they go.
# points: 0

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        weight = state[f"{layer}.weight"]
        size = weight.size(0) // heads
        order = torch.arange(weight.size(1))
        for start in range(0, weight.size(1) - size + 1, size):
            order[start : start + rotary_size] = order[start : start + rotary_size].view(2, -1).T.flatten()
        new[f"{layer}.weight"] = weight[:, order]
    return new

