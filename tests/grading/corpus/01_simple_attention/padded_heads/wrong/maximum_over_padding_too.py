# maximum over padding, too
# points: 4

def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
    e = torch.exp(s - s.max(-1, keepdim=True).values)
    if attention_mask is not None:
        e = e * attention_mask[:, None, None].to(e.dtype)
    total = e.sum(-1, keepdim=True)
    return torch.where(total > 0, e / torch.where(total > 0, total, 1.0), 0.0) @ value
