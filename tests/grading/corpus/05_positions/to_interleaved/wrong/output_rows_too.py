# output rows too
# points: 0

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = {}
    for n in state:
        h = num_attention_heads if n[0] in 'qo' else num_key_value_heads
        if n[0] in 'qk':
            x = state[n].unflatten(0, (h, -1)); r = rotary_size
            new[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new
