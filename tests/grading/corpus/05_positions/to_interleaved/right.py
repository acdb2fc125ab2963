# %% deepcopy_and_stack | points 4 | deepcopy and stack
import copy
def to_interleaved(state, nq, nk, r):
    new = copy.deepcopy(state)
    for name in new:
        if 'query' in name or 'key' in name:
            n = nq if 'query' in name else nk
            x = new[name].reshape(n, -1, *new[name].shape[1:])
            x[:, :r] = torch.stack([x[:, :r // 2], x[:, r // 2:r]], dim=2).reshape(x[:, :r].shape)
            new[name] = x.reshape(new[name].shape)
    return new

# %% flat_index_list | points 4 | flat index list
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

# %% index_per_row | points 4 | index per row
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

# %% permutation_matrix | points 4 | permutation matrix
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
