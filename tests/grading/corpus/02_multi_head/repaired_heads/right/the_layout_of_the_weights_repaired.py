# the layout of the weights repaired
# points: 3

def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    n, d = num_attention_heads, hidden // num_attention_heads
    weight = state["query_key_value.weight"].reshape(3, n, d, hidden).transpose(0, 1).reshape(-1, hidden)
    bias = state["query_key_value.bias"].reshape(3, n, d).transpose(0, 1).flatten()
    packed = F.linear(hidden_states, weight, bias).reshape(batch, tokens, n, 3 * d)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=-1)
    added = torch.zeros(batch, 1, 1, tokens).masked_fill(is_padding[:, None, None], -math.inf)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=added)
    return F.linear(context.permute(0, 2, 1, 3).flatten(2), state["output.weight"], state["output.bias"])
