# all but the mask repaired
# points: 2

def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    query, key, value = thirds(hidden_states, state, num_attention_heads)
    return out(merge(F.scaled_dot_product_attention(query, key, value, attn_mask=is_padding[:, None, None, :])), state)
