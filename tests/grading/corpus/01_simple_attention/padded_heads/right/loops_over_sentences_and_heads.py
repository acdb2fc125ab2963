# loops over sentences and heads
# points: 5

def padded_heads(query, key, value, attention_mask=None):
    out = query.new_zeros(*query.shape[:3], value.size(-1))
    for b in range(query.size(0)):
        for h in range(query.size(1)):
            keep = slice(None) if attention_mask is None else attention_mask[b].bool()
            k, v = key[b, h][keep], value[b, h][keep]
            if len(k):
                out[b, h] = (query[b, h] @ k.T / math.sqrt(query.size(-1))).softmax(-1) @ v
    return out
