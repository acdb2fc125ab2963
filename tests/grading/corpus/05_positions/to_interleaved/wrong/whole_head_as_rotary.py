# whole head as rotary
# points: 3

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n, w in state.items():
        if n[:3] in ('que', 'key'):
            h = num_attention_heads if n[0] == 'q' else num_key_value_heads
            half = w.size(0) // h // 2
            x = w.unflatten(0, (h, -1))
            a, b, c = x[:, :half], x[:, half:2*half], x[:, 2*half:]
            new[n] = torch.cat([torch.stack([a, b], 2).flatten(1, 2), c], 1).flatten(0, 1)
    return new
