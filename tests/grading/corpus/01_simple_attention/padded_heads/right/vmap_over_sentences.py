# vmap over sentences
# points: 5

def _one(q, k, v, m):
    s = q @ k.mT / math.sqrt(q.size(-1))
    empty = ~m.any()
    w = s.masked_fill(~m & ~empty, -math.inf).softmax(-1)
    return torch.where(empty, 0., w) @ v
def padded_heads(query, key, value, attention_mask=None):
    m = torch.ones(key.size(0), key.size(2), dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    return torch.vmap(_one)(query, key, value, m)
