# weights only
# points: 3

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n, h in (('query.weight', num_attention_heads), ('key.weight', num_key_value_heads)):
        w = state[n]; hs = w.size(0) // h
        order = torch.arange(hs); order[0:rotary_size:2] = torch.arange(rotary_size // 2); order[1:rotary_size:2] = torch.arange(rotary_size // 2, rotary_size)
        new[n] = w.view(h, hs, -1)[:, order].reshape(w.shape) if w.is_contiguous() else w.reshape(h, hs, -1)[:, order].reshape(w.shape)
    return new
