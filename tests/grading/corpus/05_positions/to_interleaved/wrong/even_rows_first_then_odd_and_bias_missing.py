# even rows first then odd, and bias missing
# points: 0

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n, h in (('query.weight', num_attention_heads), ('key.weight', num_key_value_heads)):
        x = state[n].unflatten(0, (h, -1))
        new[n] = torch.cat([x[:, 0:rotary_size:2], x[:, 1:rotary_size:2], x[:, rotary_size:]], 1).flatten(0, 1)
    return new
