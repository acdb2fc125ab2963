# The bias is taken for one long head: its numbers wander from head to head.
# points: 3
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        weight = state[f"{layer}.weight"]
        rows = weight.unflatten(0, (heads, -1))
        part, rest = rows[:, :rotary_size], rows[:, rotary_size:]
        part = part.unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)
        new[f"{layer}.weight"] = torch.cat([part, rest], dim=1).reshape(weight.shape)
        if f"{layer}.bias" in state:
            bias = state[f"{layer}.bias"]
            total = rotary_size * heads
            first = bias[:total].view(2, -1).T.flatten()
            new[f"{layer}.bias"] = torch.cat([first, bias[total:]])
    return new
