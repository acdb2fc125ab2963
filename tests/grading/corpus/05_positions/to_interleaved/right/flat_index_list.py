# flat index list
# points: 4

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    out = {}
    for name, w in state.items():
        if name.startswith('query.') or name.startswith('key.'):
            n = num_attention_heads if name.startswith('query.') else num_key_value_heads
            size = w.shape[0] // n
            idx = []
            for h in range(n):
                for i in range(rotary_size // 2):
                    idx += [h * size + i, h * size + i + rotary_size // 2]
                idx += list(range(h * size + rotary_size, (h + 1) * size))
            out[name] = w[idx]
        else:
            out[name] = w.clone()
    return out
