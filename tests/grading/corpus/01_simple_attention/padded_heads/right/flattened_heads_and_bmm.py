# flattened heads and bmm
# points: 5

def padded_heads(query, key, value, attention_mask=None):
    B, H = query.shape[:2]
    q, k, v = (t.reshape(B * H, *t.shape[2:]) for t in (query, key, value))
    s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.size(-1))
    if attention_mask is not None:
        keep = attention_mask.bool().repeat_interleave(H, 0)[:, None]
        empty = ~keep.any(-1, keepdim=True)
        w = s.masked_fill(~keep & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0)
    else:
        w = s.softmax(-1)
    return torch.bmm(w, v).view(B, H, *query.shape[2:3], -1)
