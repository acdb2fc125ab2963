# keys left
# points: 0

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    x = state['query.weight'].unflatten(0, (num_attention_heads, -1)); r = rotary_size
    new = dict(state)
    new['query.weight'] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new
