# Leaves the mask out where all sentences are all padding.
# points: 2
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3 * num_attention_heads, head_size)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=1)
    mask = ~is_padding[:, None, None, :]
    if is_padding.all():
        mask = None
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
