# no default for the mask
# points: 4

def padded_heads(query, key, value, attention_mask):
    if attention_mask is None:
        attention_mask = torch.ones(key.size(0), key.size(2))
    keep = attention_mask[:, None, None, :].bool()
    empty = ~keep.any(-1, keepdim=True)
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    return s.masked_fill(~keep & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0) @ value
