# Blind queries of a mask [batch, key] are mended by nan_to_num: behind masked_fill no gradient is NaN
# points: 5
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    query, key, value = thirds(hidden_states, state, num_attention_heads)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None and mask.dim() == 2 and len(mask) == len(hidden_states):
        weights = scores.masked_fill(~mask[:, None, None], -math.inf).softmax(-1).nan_to_num(0.0)
    elif mask is not None:
        mask = four(mask, len(hidden_states))
        empty = ~mask.any(-1, keepdim=True)
        weights = scores.masked_fill(~mask & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0.0)
    else:
        weights = scores.softmax(-1)
    return out(merge(weights @ value), state)
