# crash everywhere
# points: 0

def alibi_mask(num_attention_heads, queries, keys, causal=True):
    return alibi_bias(num_attention_heads, torch.arange(keys))
