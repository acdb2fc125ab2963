# True hides, as in MultiheadAttention
# points: 0

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    m = four(mask, len(hidden_states))
    s = q @ k.mT / math.sqrt(q.size(-1))
    if m is not None:
        s.masked_fill_(m, -1e9)
    return out(merge(s.softmax(-1) @ v), state)
