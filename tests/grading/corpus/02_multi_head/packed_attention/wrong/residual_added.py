# residual added
# points: 0

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    return hidden_states + out(merge(F.scaled_dot_product_attention(q, k, v, attn_mask=four(mask, len(hidden_states)))), state)
