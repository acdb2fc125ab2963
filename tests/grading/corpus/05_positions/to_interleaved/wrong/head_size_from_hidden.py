# Takes hidden_size // num_attention_heads as head_size, although the heads together may be wider or narrower.
# points: 0
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    new = dict(state)
    hidden_size = state["query.weight"].shape[1]
    head_size = hidden_size // num_attention_heads
    half = rotary_size // 2
    order = torch.arange(head_size)
    order[:rotary_size] = torch.stack([torch.arange(half), torch.arange(half) + half], dim=1).flatten()
    for name in ("query.weight", "query.bias", "key.weight", "key.bias"):
        if name in state:
            heads = num_attention_heads if name.startswith("query") else num_key_value_heads
            rows = state[name].reshape(heads, head_size, *state[name].shape[1:])
            new[name] = rows[:, order].reshape(state[name].shape)
    return new
