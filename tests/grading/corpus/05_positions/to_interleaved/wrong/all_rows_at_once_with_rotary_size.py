# all rows at once with rotary_size
# points: 0

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n[0] in 'qk':
            x = state[n]; r = rotary_size
            new[n] = torch.cat([x[:r].unflatten(0, (2, -1)).transpose(0, 1).flatten(0, 1), x[r:]], 0)
    return new
