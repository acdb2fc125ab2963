# Folds the heads into the batch and repeats the whole mask, so with several sentences and heads many heads get another sentence's mask.
# points: 2
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, head_size)
    packed = packed.permute(2, 0, 3, 1, 4).reshape(
        3, batch * num_attention_heads, tokens, head_size
    )
    query, key, value = packed
    mask = ~is_padding.repeat(num_attention_heads, 1).unsqueeze(1)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.reshape(batch, num_attention_heads, tokens, head_size)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
