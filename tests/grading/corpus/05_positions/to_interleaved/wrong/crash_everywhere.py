# crash everywhere
# points: 0

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    return state['wq']
