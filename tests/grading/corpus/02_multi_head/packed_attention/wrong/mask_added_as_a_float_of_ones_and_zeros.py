# mask added as a float of ones and zeros
# points: 0

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    m = four(mask, len(hidden_states))
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=None if m is None else m.float())
    return out(merge(c), state)
