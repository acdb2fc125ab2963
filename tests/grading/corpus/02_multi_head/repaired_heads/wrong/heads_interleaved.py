# Thirds are cut first, but then every head takes each n-th number, so many heads are still wrong.
# points: 2
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    """Multi-head self-attention in which padding takes no part: [batch, tokens, hidden]."""
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3, head_size, num_attention_heads)
    query, key, value = packed.permute(2, 0, 4, 1, 3).unbind(0)
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
