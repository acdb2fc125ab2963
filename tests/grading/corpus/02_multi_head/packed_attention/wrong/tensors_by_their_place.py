# Takes the four tensors by their place in the dictionary, not by their names.
# points: 0
def attend(x, w, b, wo, bo, heads, mask):
    q, k, v = F.linear(x, w, b).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
    return F.linear(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2), wo, bo)

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    w, b, wo, bo = state.values()
    return attend(hidden_states, w, b, wo, bo, num_attention_heads, four(mask, len(hidden_states)))
