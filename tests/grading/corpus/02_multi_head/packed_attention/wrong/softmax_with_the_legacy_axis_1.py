# softmax with the legacy axis 1
# points: 0

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    s = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        s = s.masked_fill(~four(mask, len(hidden_states)), -1e9)
    return out(merge(F.softmax(s, 1) @ v), state)
