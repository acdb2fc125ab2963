# Takes hidden_size / num_attention_heads for the head size, which is wrong in models whose heads have another size.
# points: 0
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    """Weights for interleaved rotary positions, from weights for half-split ones."""
    hidden = state["query.weight"].size(1)
    head_size = hidden // num_attention_heads
    order = torch.arange(head_size)
    order[:rotary_size] = torch.arange(rotary_size).reshape(2, -1).T.reshape(-1)
    new = {}
    for name, tensor in state.items():
        if name.startswith(("query.", "key.")):
            heads = [head[order] for head in tensor.split(head_size)]
            new[name] = torch.cat(heads)
        else:
            new[name] = tensor
    return new
