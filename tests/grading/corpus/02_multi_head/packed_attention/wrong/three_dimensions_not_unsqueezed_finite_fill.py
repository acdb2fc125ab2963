# three dimensions not unsqueezed, finite fill
# points: 3

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    s = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        if mask.dim() == 2:
            mask = four(mask, len(hidden_states))
        s = s.masked_fill(~mask, -1e9)
    return out(merge(s.softmax(-1) @ v), state)
