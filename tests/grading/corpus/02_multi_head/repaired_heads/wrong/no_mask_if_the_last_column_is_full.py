# Looks for padding in the last column alone.
# points: 0
def attend(x, w, b, wo, bo, heads, mask):
    q, k, v = F.linear(x, w, b).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
    return F.linear(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2), wo, bo)

def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    w, b, wo, bo = (state[n] for n in ("query_key_value.weight", "query_key_value.bias", "output.weight", "output.bias"))
    mask = ~is_padding[:, None, None] if is_padding[:, -1].any() else None
    return attend(hidden_states, w, b, wo, bo, num_attention_heads, mask)
