# the chapter's module as a function, masks expanded as for padding
# points: 2

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    q, k, v = (p.reshape(batch, tokens, num_attention_heads, head_size).transpose(1, 2) for p in project(hidden_states, state).chunk(3, -1))
    scores = q @ k.transpose(-2, -1) / math.sqrt(head_size)
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None, None, :], -math.inf)
    context = scores.softmax(-1) @ v
    return out(context.transpose(1, 2).reshape(batch, tokens, hidden), state)
