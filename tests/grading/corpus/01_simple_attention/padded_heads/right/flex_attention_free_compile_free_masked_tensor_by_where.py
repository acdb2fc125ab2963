# flex_attention-free compile-free masked tensor by where
# points: 5

def padded_heads(query, key, value, attention_mask=None):
    s = torch.einsum('bhqd,bhkd->bhqk', query, key).div(query.size(-1) ** .5)
    mask = torch.ones_like(s, dtype=torch.bool) if attention_mask is None else attention_mask[:, None, None].bool().expand_as(s)
    top = torch.where(mask, s, -torch.inf).amax(-1, keepdim=True).nan_to_num(neginf=0.).detach()
    e = torch.where(mask, (torch.where(mask, s, top) - top).exp(), 0.)
    return torch.einsum('bhqk,bhkd->bhqd', e / e.sum(-1, keepdim=True).clamp(min=1e-20), value)
