# A sentence that begins and ends with padding counts as all padding.
# points: 0
def attend(x, w, b, wo, bo, heads, mask):
    q, k, v = F.linear(x, w, b).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
    return F.linear(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2), wo, bo)

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    w, b, wo, bo = (state[n] for n in ("query_key_value.weight", "query_key_value.bias", "output.weight", "output.bias"))
    m = four(mask, len(hidden_states))
    if m is not None and mask.dim() == 2 and len(mask) == len(hidden_states):
        m = m & (m[..., :1] | m[..., -1:])
    return attend(hidden_states, w, b, wo, bo, num_attention_heads, m)
