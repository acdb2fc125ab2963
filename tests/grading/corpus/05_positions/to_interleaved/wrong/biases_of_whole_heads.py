# Weights are right where a part of each head turns; biases are reordered as if all of it turned.
# points: 3
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        rows = state[f"{layer}.weight"].unflatten(0, (heads, -1))
        part = rows[:, :rotary_size].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)
        new[f"{layer}.weight"] = torch.cat([part, rows[:, rotary_size:]], 1).flatten(0, 1)
        if f"{layer}.bias" in state:
            bias = state[f"{layer}.bias"].view(heads, 2, -1)
            new[f"{layer}.bias"] = bias.transpose(1, 2).flatten()
    return new
