# weight not transposed in a matmul
# points: 0

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    packed = hidden_states @ state["query_key_value.weight"] + state["query_key_value.bias"]
    return out(packed[..., :hidden_states.size(-1)], state)
