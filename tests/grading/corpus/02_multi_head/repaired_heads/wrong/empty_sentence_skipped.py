# A sentence that is all padding is left out and stays at zero, without the bias of the output projection.
# points: 2
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    result = torch.zeros_like(hidden_states)
    real = ~is_padding.all(dim=1)
    x, keep = hidden_states[real], ~is_padding[real]
    packed = F.linear(x, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    context = F.scaled_dot_product_attention(q, k, v, attn_mask=keep[:, None, None, :])
    context = context.transpose(1, 2).flatten(2)
    result[real] = F.linear(context, state["output.weight"], state["output.bias"])
    return result
