# numbers of the mask as 0 and -10000
# points: 2

def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    query, key, value = thirds(hidden_states, state, num_attention_heads)
    added = is_padding[:, None, None, :].float() * -10000.0
    return out(merge(F.scaled_dot_product_attention(query, key, value, attn_mask=added)), state)
