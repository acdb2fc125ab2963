# Reorders the first rotary_size columns instead of rows.
# points: 0

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = dict(state)
    for layer in ("query", "key"):
        weight = state[f"{layer}.weight"]
        order = torch.arange(weight.size(1))
        turned = min(rotary_size, weight.size(1) // 2 * 2)
        order[:turned] = order[:turned].view(2, -1).T.flatten()
        new[f"{layer}.weight"] = weight[:, order]
    return new

