# view 2 pairs but split heads last
# points: 0

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n[0] in 'qk':
            h = num_attention_heads if n[0] == 'q' else num_key_value_heads
            x = state[n].reshape(-1, h, *state[n].shape[1:]); r = rotary_size
            new[n] = torch.cat([x[:r].unflatten(0, (2, -1)).transpose(0, 1).flatten(0, 1), x[r:]], 0).flatten(0, 1)
    return new
