# view of the packed numbers to heads first and back
# points: 0

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, _ = hidden_states.shape
    q, k, v = (p.reshape(b, num_attention_heads, t, -1) for p in project(hidden_states, state).chunk(3, -1))
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=four(mask, b))
    return out(c.reshape(b, t, -1), state)
