# Sets the result of padded tokens to zero, though padding is to be hidden as a key only.
# points: 0
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = (
        part.unflatten(-1, (num_attention_heads, -1)).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).flatten(2)
    output = F.linear(context, state["output.weight"], state["output.bias"])
    return output.masked_fill(is_padding.unsqueeze(-1), 0.0)
