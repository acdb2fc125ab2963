# The bias of the queries is reordered, that of the keys forgotten.
# points: 3
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    """Weights for interleaved rotary positions, from weights for half-split ones."""
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        for name in (f"{layer}.weight", f"{layer}.bias"):
            if name in state and name != "key.bias":
                rows = state[name].unflatten(0, (heads, -1))
                order = torch.arange(rows.size(1))
                order[:rotary_size] = order[:rotary_size].view(2, -1).T.flatten()
                new[name] = rows[:, order].flatten(0, 1)
    return new
