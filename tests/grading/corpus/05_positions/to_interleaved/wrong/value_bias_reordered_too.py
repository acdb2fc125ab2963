# The bias of the values is reordered as well, though values aren't turned.
# points: 3
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    head_size = state["query.weight"].shape[0] // num_attention_heads
    half = rotary_size // 2
    order = torch.arange(head_size)
    order[0:rotary_size:2] = torch.arange(half)
    order[1:rotary_size:2] = torch.arange(half, rotary_size)
    new = {}
    for name, tensor in state.items():
        if name in ("query.weight", "key.weight"):
            new[name] = tensor.view(-1, head_size, tensor.shape[1])[:, order].reshape(tensor.shape)
        elif name.endswith("bias") and not name.startswith("output"):
            new[name] = tensor.view(-1, head_size)[:, order].reshape(-1)
        else:
            new[name] = tensor.clone()
    return new
