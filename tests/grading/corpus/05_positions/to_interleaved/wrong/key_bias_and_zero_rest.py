# The bias of the keys keeps its order; rows that are not turned come back as zeros.
# points: 2
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    head_size = state["query.weight"].shape[0] // num_attention_heads
    half = rotary_size // 2
    order = torch.arange(head_size)
    order[0:rotary_size:2] = torch.arange(half)
    order[1:rotary_size:2] = torch.arange(half, rotary_size)
    new = dict(state)
    for part, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        for kind in ("weight", "bias"):
            name = f"{part}.{kind}"
            if name in state and name != "key.bias":
                by_head = state[name].unflatten(0, (heads, head_size))
                fresh = torch.zeros_like(by_head)
                fresh[:, :rotary_size] = by_head[:, order[:rotary_size]]
                new[name] = fresh.flatten(0, 1)
    return new
