# Takes rotary_size for the size of a head, so heads of which only a part turns are mixed up.
# points: 3
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    """Weights for interleaved rotary positions, from weights for half-split ones."""
    new = dict(state)
    for name in ("query.weight", "query.bias", "key.weight", "key.bias"):
        if name in state:
            old = state[name]
            heads = old.size(0) // rotary_size
            rows = old[: heads * rotary_size].unflatten(0, (heads, 2, rotary_size // 2))
            mixed = rows.transpose(1, 2).flatten(0, 2)
            new[name] = torch.cat([mixed, old[heads * rotary_size :]])
    return new
