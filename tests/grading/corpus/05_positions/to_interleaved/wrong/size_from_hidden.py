# The size of a head is computed as hidden size by heads, which does not hold for every model.
# points: 0
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    """Weights for interleaved rotary positions, from weights for half-split ones."""
    head_size = state["query.weight"].size(1) // num_attention_heads
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        for name in (f"{layer}.weight", f"{layer}.bias"):
            if name in state:
                rows = state[name].unflatten(0, (-1, head_size))
                order = torch.arange(rows.size(1))
                order[:rotary_size] = order[:rotary_size].view(2, -1).T.flatten()
                new[name] = rows[:, order].flatten(0, 1)
    return new
