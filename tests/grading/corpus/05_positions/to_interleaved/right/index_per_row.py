# index per row
# points: 4

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    result = {k: v.clone() for k, v in state.items()}
    for part, n in {"query": num_attention_heads, "key": num_key_value_heads}.items():
        size = state[part + ".weight"].shape[0] // n
        for head in range(n):
            for i in range(rotary_size):
                old = head * size + i // 2 + (rotary_size // 2 if i % 2 else 0)
                result[part + ".weight"][head * size + i] = state[part + ".weight"][old]
                if part + ".bias" in state:
                    result[part + ".bias"][head * size + i] = state[part + ".bias"][old]
    return result
