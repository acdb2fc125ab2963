# Unpacks the rows as [heads, head_size, 3], so that query, key and value alternate.
# points: 0
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    """Multi-head self-attention in which padding takes no part: [batch, tokens, hidden]."""
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, num_attention_heads, head_size, 3)
    query, key, value = packed.permute(4, 0, 2, 1, 3)
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
