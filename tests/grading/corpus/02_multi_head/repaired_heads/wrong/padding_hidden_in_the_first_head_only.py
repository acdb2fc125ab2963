# padding is hidden from the first head only
# points: 2
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, head_size)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    mask = ~is_padding[:, None, None, :].repeat(1, num_attention_heads, 1, 1)
    mask[:, 1:] = True
    mask = mask & ~is_padding.all(dim=1)[:, None, None, None]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
