# still merged by reshape, heads interleaved
# points: 2

def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    b, t, d = hidden_states.shape
    q, k, v = (p.reshape(b, t, -1, num_attention_heads).permute(0, 3, 1, 2) for p in project(hidden_states, state).chunk(3, -1))
    return out(F.scaled_dot_product_attention(q, k, v, attn_mask=~is_padding[:, None, None]).reshape(b, t, d), state)
