# Lets a sentence that is all padding look at all of its tokens, so its heads don't give zeros.
# points: 2
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    """Multi-head self-attention in which padding takes no part: [batch, tokens, hidden]."""
    batch, tokens, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = packed.chunk(3, dim=-1)
    query = query.reshape(batch, tokens, num_attention_heads, -1).transpose(1, 2)
    key = key.reshape(batch, tokens, num_attention_heads, -1).transpose(1, 2)
    value = value.reshape(batch, tokens, num_attention_heads, -1).transpose(1, 2)
    mask = ~is_padding
    mask = mask | ~mask.any(dim=1, keepdim=True)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :])
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
