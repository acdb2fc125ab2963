# reshape instead of transpose
# points: 0

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n[0] in 'qk':
            x = state[n].unflatten(0, (num_attention_heads if n[0] == 'q' else num_key_value_heads, -1)); r = rotary_size
            new[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).reshape(x.size(0), r, *x.shape[2:]), x[:, r:]], 1).flatten(0, 1)
    return new
