# loop that overwrites what it reads
# points: 0

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = {n: t.clone() for n, t in state.items()}
    for n in state:
        if n[0] in 'qk':
            h = num_attention_heads if n[0] == 'q' else num_key_value_heads
            hs = state[n].size(0) // h
            for k in range(h):
                for i in range(rotary_size // 2):
                    new[n][k * hs + 2 * i] = new[n][k * hs + i]
                    new[n][k * hs + 2 * i + 1] = new[n][k * hs + i + rotary_size // 2]
    return new
