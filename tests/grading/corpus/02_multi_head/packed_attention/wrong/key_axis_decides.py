# Tells [batch, key] from [query, key] by the number of keys, so a mask [query, key] is taken for padding.
# points: 4

def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Self-attention of all heads, [batch, tokens, hidden], from packed weights."""
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = (
        part.unflatten(-1, (num_attention_heads, -1)).transpose(1, 2) for part in packed.chunk(3, -1)
    )
    if mask is not None:
        if mask.dim() == 2 and mask.size(1) == key.size(2):
            mask = mask[:1] if mask.size(0) != hidden_states.size(0) else mask
            mask = mask[:, None, None, :]
        elif mask.dim() == 3:
            mask = mask.unsqueeze(1)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])
