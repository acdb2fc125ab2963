# library function of the chapter on q and k
# points: 0

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    def f(weight, heads):
        by_pair = weight.unflatten(0, (heads, -1, 2))
        return by_pair.transpose(1, 2).flatten(0, 2)
    new = dict(state)
    for n in list(state):
        if n.startswith('query'): new[n] = f(state[n], num_attention_heads)
        if n.startswith('key'): new[n] = f(state[n], num_key_value_heads)
    return new
