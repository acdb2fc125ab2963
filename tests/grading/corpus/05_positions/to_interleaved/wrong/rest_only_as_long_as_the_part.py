# The rest of a head is taken to be no longer than the part that turns: rows behind that are lost.
# points: 3
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    head_size = state["query.weight"].shape[0] // num_attention_heads
    half = rotary_size // 2

    def reorder(tensor):
        heads = tensor.unflatten(0, (-1, head_size))
        front = torch.stack([heads[:, :half], heads[:, half:rotary_size]], dim=2).flatten(1, 2)
        rest = heads[:, rotary_size : 2 * rotary_size]
        return torch.cat([front, rest], dim=1).flatten(0, 1)

    return {
        name: reorder(tensor) if name.split(".")[0] in ("query", "key") else tensor.clone()
        for name, tensor in state.items()
    }
