# Turns a mask [batch, key] into a span from the first token to the last.
# points: 0
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    batch, tokens, _ = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    if mask is not None:
        if mask.dim() == 2 and mask.size(0) == batch:
            begun = mask.long().cumsum(-1) > 0
            not_over = mask.long().flip(-1).cumsum(-1).flip(-1) > 0
            mask = (begun & not_over)[:, None, None, :]
        elif mask.dim() == 3:
            mask = mask[:, None]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])
