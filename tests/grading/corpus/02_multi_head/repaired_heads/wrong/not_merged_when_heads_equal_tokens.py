# Swaps heads and tokens back only if the second axis is not as long as the sentence, which fails for as many heads as tokens.
# points: 2
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, -1)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    if context.shape[1] != tokens:
        context = context.transpose(1, 2)
    context = context.reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
