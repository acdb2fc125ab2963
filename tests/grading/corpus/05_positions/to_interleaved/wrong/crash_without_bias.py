# crash without bias
# points: 0

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n, h in (('query', num_attention_heads), ('key', num_key_value_heads)):
        for k in ('weight', 'bias'):
            x = state[n + '.' + k].unflatten(0, (h, -1))
            r = rotary_size
            new[n + '.' + k] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new
