# takes the four tensors by their place in the dictionary, although it may come in any order
# points: 0
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    weight, bias, output_weight, output_bias = state.values()
    size = output_weight.size(1) // num_attention_heads
    packed = F.linear(hidden_states, weight, bias)
    query, key, value = (
        part.reshape(batch, tokens, num_attention_heads, size).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(size)
    if mask is None:
        mask = torch.ones(batch, tokens, dtype=torch.bool)
    if mask.dim() == 2 and mask.size(0) == batch:
        mask = mask[:, None, None, :]
    elif mask.dim() == 2:
        mask = mask[None, None, :, :]
    elif mask.dim() == 3:
        mask = mask[:, None]
    sees = mask.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~mask, -math.inf).masked_fill(~sees, 0.0)
    weights = scores.softmax(dim=-1).masked_fill(~sees, 0.0)
    context = (weights @ value).transpose(1, 2).flatten(2)
    return F.linear(context, output_weight, output_bias)
