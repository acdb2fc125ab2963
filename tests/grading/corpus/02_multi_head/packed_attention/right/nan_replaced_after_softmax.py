# nan replaced after softmax
# points: 5

def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Self-attention of all heads, [batch, tokens, hidden], from packed weights."""
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    by_head = packed.unflatten(-1, (3, num_attention_heads, -1))  # [b, t, 3, heads, head_size]
    query, key, value = by_head.permute(2, 0, 3, 1, 4)  # each [batch, heads, tokens, head_size]
    if mask is not None:
        if mask.dim() == 2 and mask.size(0) == hidden_states.size(0):
            mask = mask[:, None, None, :]
        elif mask.dim() == 3:
            mask = mask[:, None]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    context = torch.nan_to_num(scores.softmax(dim=-1), 0.0) @ value
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])
