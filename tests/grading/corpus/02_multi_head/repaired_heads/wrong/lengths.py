# Counts the tokens and hides what stands behind as many, as if all padding stood on the right.
# points: 0
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    lengths = (~is_padding).sum(dim=-1, keepdim=True)
    keep = torch.arange(hidden_states.size(1)) < lengths
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=keep[:, None, None, :])
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])
