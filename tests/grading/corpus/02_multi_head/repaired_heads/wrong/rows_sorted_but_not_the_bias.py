# Sorts the rows of the packed weight so that they fit the old cut, and forgets to sort the bias.
# points: 2
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    weight = weight.reshape(3, num_attention_heads, head_size, hidden).transpose(0, 1)
    weight = weight.reshape(3 * hidden, hidden)
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, num_attention_heads, 3 * head_size)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=-1)
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
