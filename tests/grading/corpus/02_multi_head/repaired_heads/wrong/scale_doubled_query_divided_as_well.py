# scale-doubled-query-divided-as-well
# points: 0

def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, head_size)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query / head_size ** 0.5, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
