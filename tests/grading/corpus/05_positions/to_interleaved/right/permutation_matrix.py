# permutation matrix
# points: 4

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    def permuted(t, heads):
        size = t.shape[0] // heads
        h = rotary_size // 2
        one = torch.stack([torch.arange(h), torch.arange(h) + h], 1).reshape(-1)
        one = torch.cat([one, torch.arange(rotary_size, size)])
        index = (torch.arange(heads)[:, None] * size + one).reshape(-1)
        return t.index_select(0, index)
    heads = {"query": num_attention_heads, "key": num_key_value_heads}
    return {k: permuted(v, heads[k.split(".")[0]]) if k.split(".")[0] in heads else v for k, v in state.items()}
