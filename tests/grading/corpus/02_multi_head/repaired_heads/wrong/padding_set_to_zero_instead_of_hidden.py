# sets the vectors of padding to zero instead of hiding it, so it still gets weight
# points: 0
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    hidden_states = hidden_states.masked_fill(is_padding[:, :, None], 0.0)
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, head_size)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    mask = ~is_padding.all(dim=1)[:, None, None, None].expand(batch, 1, 1, tokens)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
