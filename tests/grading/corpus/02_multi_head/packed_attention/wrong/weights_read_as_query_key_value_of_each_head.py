# weights read as query, key, value of each head
# points: 0

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, _ = hidden_states.shape
    q, k, v = project(hidden_states, state).view(b, t, num_attention_heads, 3, -1).permute(3, 0, 2, 1, 4)
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=four(mask, b))
    return out(merge(c), state)
