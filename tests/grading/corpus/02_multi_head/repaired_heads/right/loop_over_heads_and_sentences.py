# loop-over-heads-and-sentences
# points: 3

def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    out = []
    for x, pad in zip(hidden_states, is_padding):
        qkv = x @ state["query_key_value.weight"].T + state["query_key_value.bias"]
        heads = []
        E = x.size(-1); D = E // num_attention_heads
        for h in range(num_attention_heads):
            q, k, v = (qkv[:, i * E + h * D: i * E + (h + 1) * D] for i in range(3))
            if pad.all():
                heads.append(v * 0)
            else:
                heads.append(((q @ k[~pad].T) / D ** .5).softmax(-1) @ v[~pad])
        out.append(torch.cat(heads, 1) @ state["output.weight"].T + state["output.bias"])
    return torch.stack(out)
