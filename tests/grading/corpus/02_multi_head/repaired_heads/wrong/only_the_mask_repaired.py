# only the mask repaired
# points: 1

def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    packed = project(hidden_states, state).reshape(batch, tokens, num_attention_heads, -1)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=-1)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding[:, None, None, :])
    return out(context.reshape(batch, tokens, hidden), state)
