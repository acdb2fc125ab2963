# the chapter's head size and a naive fill
# points: 3

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, d = hidden_states.shape
    q, k, v = (p.view(b, t, num_attention_heads, d // num_attention_heads).transpose(1, 2) for p in project(hidden_states, state).split(d, -1))
    s = q @ k.mT / (d // num_attention_heads) ** 0.5
    if mask is not None:
        s = s.masked_fill(four(mask, b) == 0, float("-inf"))
    return out(merge(s.softmax(-1) @ v), state)
